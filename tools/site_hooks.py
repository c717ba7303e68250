"""Hooks of mkdocs for a site of pages that is read without a network.

Links out of ``docs`` (to sources, examples, the README) become text, and every page ends with a link to the
conventions. The search of the theme runs in a worker, which browsers refuse to pages that are opened from a disk; the
theme would fetch a substitute from the network, so here is one of our own: a hidden frame that runs the same script.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")
#: The page that every other one refers to.
_CONVENTIONS = "conventions.md"
_FOREIGN = re.compile(r'<script src="https?://[^"]*"></script>')
_WORKER = """<script>
if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe"), waiting = [];
    frame.hidden = true;
    document.body.appendChild(frame);
    const inner = frame.contentWindow;
    inner.postMessage = data => this.answer(data);
    inner.importScripts = (...all) => all.forEach(one => this.load(inner, one));
    this.send = data => waiting.push(data);
    this.load(inner, url).onload = () => {
      this.send = data => inner.dispatchEvent(new inner.MessageEvent("message", { data }));
      waiting.forEach(this.send);
    };
  }
  load(inner, url) {
    const script = inner.document.createElement("script");
    script.src = url;
    inner.document.body.appendChild(script);
    return script;
  }
  answer(data) {
    const event = new MessageEvent("message", { data });
    this.dispatchEvent(event);
    if (this.onmessage) this.onmessage(event);
  }
  postMessage(data) { this.send(data); }
  terminate() {}
};
</script>"""


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """The page without links that lead out of the folder of pages, or to one of its folders; with its last line."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(match: re.Match[str]) -> str:
        if "://" in match[2]:
            return match[0]
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        return match[1] if target.startswith("..") or "." not in posixpath.basename(target) else match[0]

    text = _LINK.sub(kept, markdown)
    if page.file.src_uri == _CONVENTIONS:
        return text
    way = posixpath.relpath(_CONVENTIONS, folder or ".")
    return f"{text}\n\n---\n\nAxes, signs, units and words: [conventions]({way}).\n"


def on_post_page(output: str, **_: object) -> str:
    """The page with our own substitute for a worker in place of one from the network."""
    return _FOREIGN.sub(lambda _: _WORKER, output)
