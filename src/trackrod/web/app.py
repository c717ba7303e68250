"""The server of the workbench: layout, pages, routes, the guard, and the timer that looks after jobs."""

from __future__ import annotations

import errno
import os
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trackrod.core.errors import InputError, MissingExtraError, Problem
from trackrod.web.guard import Guard, is_loopback, is_token
from trackrod.web.jobs import Queue
from trackrod.web.workspace import Workspace

try:
    from nicegui import app, ui
except ImportError:
    raise MissingExtraError("nicegui", "gui", "the workbench") from None

from trackrod.web.bench import Bench
from trackrod.web.components import push
from trackrod.web.pages import convert, kc, manoeuvres, reduce, report, studies, tune, validate, vehicle
from trackrod.web.routes import add_routes

__all__ = ["serve"]

Page = Callable[..., None]

#: Pages in the order of the work: address, name, icon, what draws them.
PAGES: tuple[tuple[str, str, str, Page], ...] = (
    ("/", "Vehicle", "directions_car", vehicle.page),
    ("/kc", "K&C", "settings_input_component", kc.page),
    ("/convert", "Convert", "transform", convert.page),
    ("/manoeuvres", "Manoeuvres", "route", manoeuvres.page),
    ("/tune", "Tune", "tune", tune.page),
    ("/validate", "Validate", "fact_check", validate.page),
    ("/reduce", "Reduce", "compress", reduce.page),
    ("/report", "Report and export", "description", report.page),
    ("/studies", "Studies", "list_alt", studies.page),
)
_STYLE = Path(__file__).parent / "static" / "style.css"
#: How often the queue is looked at [s].
_PERIOD = 0.3


def serve(
    folder: Path, *, host: str = "127.0.0.1", port: int = 8123, browser: bool = True, token: str | None = None
) -> None:
    """Serve a workspace until Ctrl-C.

    Parameters
    ----------
    folder
        The workspace, made if it is not there.
    host, port
        Where it listens. Bound to another address than this machine's own, it needs a token.
    browser
        Whether a browser is opened.
    token
        What a browser must know; made up if it is needed and not given.

    Raises
    ------
    InputError
        The folder cannot be made, or another workbench works in it; nobody can listen there; the token is none.
    MissingExtraError
        NiceGUI is not installed.
    """
    if token is not None and not is_token(token):
        hint = "8 or more letters, digits, '-' and '_'; without --token one is made up"
        raise InputError(Problem("--token is no token", hint=hint))
    _require_free(host, port)
    workspace = Workspace(folder)
    if not workspace.lock.take():
        raise InputError(Problem(f"another workbench works in {workspace.root}", hint="use it, or another --workspace"))
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(workspace.root / ".nicegui"))
    bench = Bench(workspace, Queue(workspace))
    local = is_loopback(host)
    if not local and token is None:
        token = secrets.token_urlsafe(24)
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")] if local else []
    address = f"http://{'localhost' if local else host}:{port}/" + (f"?token={token}" if token else "")
    add_routes(app, bench)
    app.add_middleware(Guard, hosts=hosts, token=token, largest=workspace.limits.packed + 2**20)
    app.on_startup(lambda: print(f"the workbench is at {address}", flush=True))
    app.on_startup(lambda: app.timer(_PERIOD, bench.step))
    app.on_shutdown(bench.queue.close)
    ui.run(
        lambda: _layout(bench),
        host=host,
        port=port,
        title="Trackrod",
        favicon="🛞",
        show=address if browser else False,
        reload=False,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=30,
    )


def _require_free(host: str, port: int) -> None:
    """Somebody can listen there; what the server itself says of it later is no sentence."""
    try:
        kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            if os.name == "posix":  # a port that was left a moment ago is free
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except (OSError, UnicodeError) as error:  # the latter from a name that can be none
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        hint = "use another --port, or the workbench that is there" if taken else "see --host and --port"
        text = f"nobody can listen at {host[:100]}, port {port}: {getattr(error, 'strerror', None) or error}"
        raise InputError(Problem(text, hint=hint)) from None


def _layout(bench: Bench) -> None:
    """What stands around every page."""
    preferences = bench.preferences
    ui.add_css(_STYLE)
    ui.add_head_html("<script>document.documentElement.lang = 'en'</script>")
    is_dark = bool(preferences.dark)
    ui.colors(primary="#6fc3f7" if is_dark else "#005a8d")
    ui.dark_mode(is_dark)
    with ui.left_drawer(value=True, bordered=False).props("width=240 breakpoint=700") as drawer:
        links = {}
        with ui.element("nav").classes("navigation column").props('aria-label="pages"'):
            for number, (path, name, icon, _) in enumerate(PAGES, 1):
                with ui.link(target=path) as link:
                    ui.label(str(number)).classes("number").props("aria-hidden=true")
                    ui.icon(icon, size="20px").props("aria-hidden=true")
                    ui.label(name)
                links[path] = link
        running = ui.label("").classes("about").style("padding: .5rem 1rem")
    with ui.header(elevated=False).props("height-hint=48"), ui.row().classes("bar"):
        ui.link("Skip to the page", "#page").classes("skip")
        push(icon="menu", on_click=drawer.toggle).props('flat dense aria-label="pages"')
        ui.label("Trackrod").classes("brand")
        chosen = ui.label("").classes("chosen")
        ui.element("div").classes("grow")
        _switches(bench)

    def here(path: str) -> None:
        for other, link in links.items():
            link.classes(add="here" if other == path else "", remove="" if other == path else "here")
            link.props(add="aria-current=page" if other == path else "", remove="" if other == path else "aria-current")

    def draw(path: str, page: Page, **arguments: Any) -> None:
        here(path)
        with ui.column().classes("page").props("id=page role=main"):
            page(bench, dark=is_dark, **arguments)

    def tell() -> None:
        vehicle_now = bench.vehicle
        name = "" if vehicle_now is None else Path(vehicle_now.key).stem
        chosen.set_text(name or "no vehicle is chosen")
        states = [job.state for job in bench.queue.jobs()]
        counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states) if not state.is_over]
        running.set_text(", ".join(counts))

    tell()
    ui.timer(0.7, tell)
    routes: dict[str, Callable[..., None]] = {
        path: (lambda path=path, page=page: draw(path, page)) for path, _, _, page in PAGES
    }
    routes["/report/{number}"] = lambda number: draw(
        "/report", report.page, number=int(number) if number.isdecimal() else 0
    )
    ui.sub_pages(routes).style("width: 100%")


def _switches(bench: Bench) -> None:
    preferences = bench.preferences
    text = "black" if preferences.dark else "white"

    def again(**changes: Any) -> None:
        bench.prefer(**changes)
        ui.navigate.reload()

    ui.toggle(
        {False: "Standard", True: "Expert"}, value=preferences.expert, on_change=lambda e: again(expert=bool(e.value))
    ).props(f'no-caps dense unelevated toggle-text-color={text} aria-label="mode"')
    ui.toggle(
        {True: "mm, °", False: "SI"},
        value=preferences.engineering,
        on_change=lambda e: again(engineering=bool(e.value)),
    ).props(f'no-caps dense unelevated toggle-text-color={text} aria-label="units"')
    push(
        icon="light_mode" if preferences.dark else "dark_mode",
        on_click=lambda: again(dark=not preferences.dark),
    ).props(f'flat dense aria-label="{"light" if preferences.dark else "dark"} colours"')
