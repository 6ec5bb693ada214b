"""A real browser without a window, driven through the DevTools protocol: enough to open a page and look at it.

``find_browser`` looks for an installed Chromium or Chrome. ``Browser.open`` gives a ``Tab`` that notes every request
to a network, every message of the console that is a warning or an error, and every exception of a script.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from websocket import WebSocket, WebSocketTimeoutException, create_connection

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)
LOCAL = ("file:", "data:", "blob:", "about:")


def find_browser() -> str | None:
    """Path of an installed browser; the variable JOINTPLAY_BROWSER names another one."""
    given = os.environ.get("JOINTPLAY_BROWSER")
    return given or next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """A page and what it did."""

    def __init__(self, address: str, size: tuple[int, int], dark: bool, moving: bool) -> None:
        self._socket: WebSocket = create_connection(address, timeout=180)
        self._last = 0
        self.requests: list[str] = []
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
        )
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)  # keys arrive in every tab
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "no-preference" if moving else "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, still])

    def call(self, method: str, **parameters: Any) -> Any:
        """One command; events that come in between are noted."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        facts = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                if not facts["request"]["url"].startswith(LOCAL):
                    self.requests.append(facts["request"]["url"])
            case "Runtime.exceptionThrown":
                details = facts["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description") or details["text"])
            case "Runtime.consoleAPICalled":
                if facts["type"] in ("error", "warning", "assert"):
                    self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in facts["args"]))
            case "Log.entryAdded":
                if facts["entry"]["level"] in ("error", "warning"):
                    self.errors.append(facts["entry"]["text"])

    def go(self, url: str) -> None:
        """Open an address and wait until the page has loaded and drawn."""
        self.call("Page.navigate", url=url)
        for _ in range(600):
            if self.run("document.readyState") == "complete" and self.run("location.href") == url:
                break
            time.sleep(0.05)
        self.settle()

    def run(self, script: str) -> Any:
        """The value of an expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "failed"))
        return answer["result"].get("value")

    def settle(self) -> None:
        """Let two frames pass, and read what happened meanwhile."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        self._socket.settimeout(0.05)
        try:
            while True:
                self._note(json.loads(self._socket.recv()))
        except (WebSocketTimeoutException, TimeoutError):
            pass
        finally:
            self._socket.settimeout(180)

    def press(self, key: str, *, shift: bool = False) -> None:
        """A key, down and up."""
        text = {"text": key} if len(key) == 1 else {}
        number = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, " ": 32, "Escape": 27}.get(
            key, ord(key[0].upper())
        )
        facts = {"key": key, "modifiers": 8 if shift else 0, "windowsVirtualKeyCode": number}
        self.call("Input.dispatchKeyEvent", type="keyDown", **facts, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def click(self, x: float, y: float) -> None:
        """The left button, down and up."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press, move, let go."""
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for s in (0.3, 0.7, 1.0):
            x, y = (a + s * (b - a) for a, b in zip(start, end, strict=True))
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of an element, in pixels."""
        script = f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        left, top, right, bottom = self.run(script + " return [b.left, b.top, b.right, b.bottom]; })()")
        return left, top, right, bottom

    def screenshot(self) -> bytes:
        """A PNG of what is seen."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pixels(self) -> np.ndarray:
        """What is seen, (height, width, 3) from 0 to 1."""
        from matplotlib.image import imread

        return np.asarray(imread(io.BytesIO(self.screenshot()), format="png"))[..., :3]

    def close(self) -> None:
        """Done with it; a page left open would go on drawing."""
        self.call("Page.close")
        self._socket.close()


class Browser:
    """A browser without a window; use it in a ``with`` statement."""

    def __init__(self, path: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        command = [path, *FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._port = self._wait()

    def _wait(self) -> int:
        port = Path(self._folder.name) / "DevToolsActivePort"
        for _ in range(600):
            if port.exists() and port.read_text().strip():
                return int(port.read_text().split()[0])
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("the browser did not start")

    def open(
        self, page: Path | None = None, *, size: tuple[int, int] = (1000, 780), dark: bool = False, moving: bool = False
    ) -> Tab:
        """A new tab with a page from disk, which begins to move only if told so: drawing without a GPU is slow."""
        from urllib.request import Request, urlopen

        request = Request(f"http://127.0.0.1:{self._port}/json/new?about:blank", method="PUT")
        with urlopen(request, timeout=180) as answer:
            tab = Tab(json.load(answer)["webSocketDebuggerUrl"], size, dark, moving)
        if page is not None:
            tab.go(page.resolve().as_uri())
        return tab

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._folder.cleanup()
