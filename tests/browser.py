"""A real browser without a window, as the package drives it for films, and hands and eyes for tests.

``Browser.open`` gives a ``Tab`` that notes every request to a network, every message of the console that is a warning
or an error, and every exception of a script.
"""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.viewer.film import browser as plain

LOCAL = ("file:", "data:", "blob:", "about:")


def find_browser() -> str | None:
    """Path of an installed browser; the variable JOINTPLAY_BROWSER names another one."""
    try:
        return plain.find_browser()
    except jp.InputError:
        return None


class Tab(plain.Tab):
    """A page and what it did."""

    def __init__(self, *args: Any, **look: Any) -> None:
        self.requests: list[str] = []
        super().__init__(*args, **look)
        for domain in ("Network", "Log"):
            self.call(f"{domain}.enable")

    def hear(self, message: dict[str, Any]) -> None:
        super().hear(message)
        facts = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                if not facts["request"]["url"].startswith(LOCAL):
                    self.requests.append(facts["request"]["url"])
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

    def settle(self) -> None:
        """Let two frames pass, and read what happened meanwhile."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        self.drain(0.05)

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

    def pixels(self) -> np.ndarray:
        """What is seen, (height, width, 3) from 0 to 1."""
        from matplotlib.image import imread

        return np.asarray(imread(io.BytesIO(self.screenshot()), format="png"))[..., :3]


class Browser(plain.Browser):
    """A browser without a window; use it in a ``with`` statement."""

    def open(self, page: Path | None = None, *, size: tuple[int, int] = (1000, 780), **look: Any) -> Tab:
        """A new tab with a page from disk, which begins to move only if told so: drawing without a GPU is slow."""
        tab = Tab(self.pipe, size, **look)
        if page is not None:
            tab.go(page.resolve().as_uri())
        return tab
