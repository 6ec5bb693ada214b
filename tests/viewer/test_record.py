"""The record button: offered where the browser can record, heard by all, and its film can be decoded."""

from __future__ import annotations

import base64
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, Tab

import jointplay as jp
from jointplay.viewer.film.encoders import find_ffmpeg

pytestmark = pytest.mark.slow
BUTTON = '[data-do="record"]'
# What would be downloaded is kept instead.
CATCH = """
  window.caught = [];
  HTMLAnchorElement.prototype.click = function () {
    const name = this.download;
    fetchBlob(this.href).then((text) => caught.push([name, text]));
  };
  const blobs = new Map(), make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { const url = make(blob); blobs.set(url, blob); return url; };
  function fetchBlob(url) {
    return new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.split(",")[1]);
      reader.readAsDataURL(blobs.get(url));
    });
  }
"""


def until(tab: Tab, condition: str) -> None:
    """Wait for it, a minute at most."""
    for _ in range(600):
        if tab.run(condition):
            return
        time.sleep(0.1)
    raise AssertionError(f"{condition} did not become true; errors: {tab.errors}")


def test_a_film_of_the_picture(browser: Browser, crank_page: Path, tmp_path: Path) -> None:
    tab = browser.open(crank_page, size=(600, 500))
    tab.run(CATCH)
    assert (
        tab.run(f"document.querySelector('{BUTTON}').getAttribute('aria-label')") == "record the picture as a film (r)"
    )
    assert tab.run("jointplay.state().recording") is False
    tab.press("r")
    assert tab.run("jointplay.state().recording") is True and tab.run("jointplay.state().playing") is True
    assert tab.run(f"document.querySelector('{BUTTON}').getAttribute('aria-pressed')") == "true"
    assert "Recording" in tab.run("document.querySelector('#said[role=status]').textContent")
    until(tab, "jointplay.state().recorded > 3000")  # the encoder has begun; how long that takes is its own matter
    tab.run(f"document.querySelector('{BUTTON}').click()")
    until(tab, "caught.length > 0")
    ((name, text),) = tab.run("caught")
    assert tab.run("jointplay.state().recording") is False
    assert tab.run("document.querySelector('#said').textContent") == f"Saved as {name}."
    assert name == "slider_crank_with_clearance.webm"
    wide, high = tab.run(
        "[document.querySelector('#picture').width & ~1, document.querySelector('#picture').height & ~1]"
    )
    assert tab.errors == [] and tab.requests == []
    tab.close()
    file = tmp_path / name
    file.write_bytes(base64.b64decode(text))
    assert file.read_bytes()[:4] == b"\x1aE\xdf\xa3"  # Matroska, of which WebM is a kind
    try:
        ffmpeg = find_ffmpeg()
    except jp.InputError:
        pytest.skip("no ffmpeg to decode it: pip install 'jointplay[video]'")
    # ten pictures a second: the file has times in ms, and ffmpeg would repeat pictures to fill each of them
    words = [ffmpeg, "-loglevel", "error", "-i", str(file), "-r", "10", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(words, capture_output=True, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, high, wide, 3).astype(float) / 255
    assert len(frames) >= 3
    assert np.abs(frames[-1] - frames[0]).mean() > 1e-3  # it moves
    assert 0.01 < (np.abs(frames[-1] - frames[-1, 5, 5]).max(axis=-1) > 0.15).mean() < 0.5  # and shows something


def test_it_ends_with_the_run(browser: Browser, crank_page: Path) -> None:
    tab = browser.open(crank_page, size=(600, 500))
    tab.run(CATCH)
    tab.press("r")
    until(tab, "jointplay.state().recorded > 0")
    assert tab.run("caught.length") == 0
    tab.run("jointplay.seek(jointplay.state().end * 0.97); jointplay.play()")
    until(tab, "caught.length > 0")
    assert tab.run("jointplay.state().recording") is False
    assert tab.errors == []
    tab.close()


def test_a_browser_that_cannot_record_offers_nothing(browser: Browser, crank_page: Path, tmp_path: Path) -> None:
    poor = tmp_path / "poor.html"
    text = crank_page.read_text(encoding="utf-8")
    poor.write_text(text.replace("<head>", "<head><script>delete window.MediaRecorder</script>", 1), encoding="utf-8")
    tab = browser.open(poor)
    assert tab.run(f"document.querySelector('{BUTTON}')") is None
    assert tab.run("jointplay.state().recording") is None
    tab.press("r")
    assert "record" not in tab.run("document.querySelector('#help').textContent")
    assert tab.errors == []
    tab.close()


def test_a_drawing_has_nothing_to_record(browser: Browser, tmp_path: Path) -> None:
    s = jp.System("bar", planar=True)
    s.revolute("P", s.ground, s.body("bar", mass=1.0, inertia=0.1, position=(0.5, 0)), point=(0, 0))
    tab = browser.open(s.view(tmp_path / "m.html"))
    assert tab.run("jointplay.state().recording") is None
    tab.close()
