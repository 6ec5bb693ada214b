"""The DevTools protocol over a pipe: texts in JSON, each ended by a null character.

A browser started with ``--remote-debugging-pipe`` reads commands from its file 3 and writes answers and events to its
file 4. No port is opened, so that nobody but this process can speak to it. A session identifies a page.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

PIECE = 1 << 16
PATIENCE = 180.0  # s for an answer: a page of a large model, drawn without a graphics processor, takes its time

Hears = Callable[[dict[str, Any]], None]


class BrowserError(RuntimeError):
    """The browser could not be started, has ended, or refused a command."""


class Pipe:
    """Commands to a browser and its answers; events go to those who listen to a session."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._rest = bytearray()
        self._last = 0
        self._hears: dict[str, Hears] = {}

    def listen(self, session: str, hears: Hears) -> None:
        """Send the events of a session to ``hears``."""
        self._hears[session] = hears

    def call(self, method: str, session: str = "", **parameters: Any) -> Any:
        """Send one command and wait for its answer; events that come in between are passed on."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._send(json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(end)
            if answer is None:
                raise BrowserError(f"the browser gave no answer to {method} within {PATIENCE:g} s")
            if answer.get("id") != self._last:
                self._dispatch(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error'].get('message', 'refused')}")
            else:
                return answer["result"]

    def drain(self, seconds: float) -> None:
        """Pass on the events that come within some seconds of each other."""
        while (message := self._receive(time.monotonic() + seconds)) is not None:
            self._dispatch(message)

    def _dispatch(self, message: dict[str, Any]) -> None:
        hears = self._hears.get(message.get("sessionId", ""))
        if hears is not None:
            hears(message)

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._write, view) :]
        except OSError:
            raise BrowserError("the browser has ended") from None

    def _receive(self, end: float) -> dict[str, Any] | None:
        """The next text, or nothing if none has come by then (s, monotonic clock)."""
        looked = 0
        while (at := self._rest.find(b"\0", looked)) < 0:
            looked = len(self._rest)
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self._read, PIECE)
            if not piece:
                raise BrowserError("the browser has ended")
            self._rest += piece
        message: dict[str, Any] = json.loads(self._rest[:at])
        del self._rest[: at + 1]
        return message

    def close(self) -> None:
        """Close both ends; a browser that reads the end of its commands ends too."""
        os.close(self._write)
        os.close(self._read)
