"""A browser without a window: found, started for one purpose, and ended with all that belongs to it.

Drawing is done by the browser's own software renderer, so that pictures do not depend on the graphics processor.
"""

from __future__ import annotations

import base64
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...errors import InputError, Problem
from .pipe import BrowserError, Pipe

VARIABLE = "JOINTPLAY_BROWSER"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
)
FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",  # "unsafe" for pages of strangers; this one is ours
    "--disable-gpu-sandbox",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
)
# Files 3 and 4 of the browser, whatever numbers they have here.
CONNECT = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null'
WAIT = 10.0  # s for an orderly end


def find_browser(given: str | os.PathLike[str] | None = None) -> str:
    """Path of the browser to use: the one given, that of JOINTPLAY_BROWSER, or one on the PATH; else InputError."""
    for field, name in (("browser", given), (VARIABLE, os.environ.get(VARIABLE))):
        if name:
            path = shutil.which(os.fspath(name))
            if path is None:
                raise InputError(Problem(field, f"'{os.fspath(name)}' is no program that can be started"))
            return path
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise InputError(
            Problem(
                "browser",
                "a film is drawn by a browser, and none was found: install Chromium, Chrome or Edge (Debian, Ubuntu: "
                f"apt install chromium), or name one by --browser or {VARIABLE}; a page (.html) needs none here",
            )
        )
    return found


class Tab:
    """A page."""

    def __init__(self, pipe: Pipe, size: tuple[int, int], *, scale: int = 1, dark: bool = False, moving: bool = False):
        self._pipe = pipe
        self._target = pipe.call("Target.createTarget", url="about:blank")["targetId"]
        self.session: str = pipe.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        pipe.listen(self.session, self.hear)
        self.errors: list[str] = []
        for domain in ("Page", "Runtime"):
            self.call(f"{domain}.enable")
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": scale, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)  # keys arrive and frames are drawn in every tab
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "no-preference" if moving else "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, still])

    def hear(self, message: dict[str, Any]) -> None:
        """An event: exceptions of scripts are kept."""
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])

    def call(self, method: str, **parameters: Any) -> Any:
        """One command to this page."""
        return self._pipe.call(method, self.session, **parameters)

    def run(self, script: str) -> Any:
        """The value of an expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(
                details.get("exception", {}).get("description") or details.get("text", "a script failed")
            )
        return answer["result"].get("value")

    def write(self, text: str) -> None:
        """Make a text of HTML the page. It needs no file: a confined browser may not see those of others."""
        window = self.call("Runtime.evaluate", expression="window")["result"]["objectId"]
        body = "function (text) { document.open(); document.write(text); document.close(); }"
        self.call(
            "Runtime.callFunctionOn", functionDeclaration=body, objectId=window, arguments=[{"value": text}],
            returnByValue=True,
        )  # fmt: skip

    def drain(self, seconds: float) -> None:
        """Hear what has happened meanwhile."""
        self._pipe.drain(seconds)

    def screenshot(self) -> bytes:
        """A PNG of what is seen."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"])

    def close(self) -> None:
        """Done with it; a page left open would go on drawing."""
        self._pipe.call("Target.closeTarget", targetId=self._target)


class Browser:
    """A browser of its own with a profile of its own, for a ``with`` statement."""

    def __init__(self, path: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="jointplay-browser-", ignore_cleanup_errors=True)
        self._log = Path(self._folder.name) / "output.txt"
        # As root the sandbox of Chromium cannot work.
        flags = (*FLAGS, "--no-sandbox") if os.geteuid() == 0 else FLAGS
        words = ["/bin/sh", "-c", CONNECT, path, *flags, f"--user-data-dir={self._folder.name}/profile", "about:blank"]
        theirs_in, write = os.pipe()
        read, theirs_out = os.pipe()
        try:
            with self._log.open("wb") as log:
                # a session of its own: Ctrl-C is for this process, which then ends the browser
                self._process = subprocess.Popen(
                    words, stdin=theirs_in, stdout=theirs_out, stderr=log, start_new_session=True
                )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self.pipe = Pipe(write, read)
        try:
            self.version = str(self.pipe.call("Browser.getVersion")["product"])
        except BaseException as error:
            message = self._last_words()
            self.close()
            if isinstance(error, BrowserError):
                raise BrowserError(f"{path} did not start" + (f": {message}" if message else "")) from None
            raise

    def _last_words(self) -> str:
        """Why a browser did not start, by its own account."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        loud = [line for line in lines if "FATAL" in line or "ERROR" in line] or lines
        return loud[-1].strip()[:300] if loud else ""

    def open(self, size: tuple[int, int] = (1000, 780), **look: Any) -> Tab:
        """A new, empty page; ``look`` is that of Tab."""
        return Tab(self.pipe, size, **look)

    def close(self) -> None:
        """End it, with all its processes, and remove its profile."""
        with suppress(OSError):
            self.pipe.close()  # it ends by itself when nobody can speak to it any more
        try:
            self._process.wait(WAIT)
        except subprocess.TimeoutExpired:
            pass
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
