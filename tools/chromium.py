"""Chromium for the tests of the workbench: installed from Debian where this may be done, else said loudly."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def main() -> int:
    if any(shutil.which(name) for name in ("chromium", "chromium-browser")):
        return 0
    may = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")
    if may:
        print("[setup] installing chromium for the tests of the workbench", flush=True)
        for command in (("apt-get", "update", "-qq"), ("apt-get", "install", "-y", "-qq", "chromium")):
            environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            if subprocess.run(command, check=False, env=environment).returncode:
                break
        else:
            return 0
    print("[setup] chromium is not there: the journeys through the workbench will be SKIPPED", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
