"""Films, decoded again: as many frames as planned, as long, as large; each is the page at its instant."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, find_browser
from PIL import Image, ImageSequence
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app
from jointplay.viewer import page
from jointplay.viewer.film import FORMATS, film
from jointplay.viewer.film.encoders import find_ffmpeg

NONE = "no Chromium or Chrome is installed; apt install chromium, or set JOINTPLAY_BROWSER"
pytestmark = [pytest.mark.skipif(find_browser() is None, reason=NONE), pytest.mark.slow]
SIZE, FPS, SPEED = (480, 270), 20.0, 0.03
FRAMES = 21  # of 30 ms at this speed: 1 s, and the last one


def have_ffmpeg() -> bool:
    try:
        return bool(find_ffmpeg())
    except jp.InputError:
        return False


VIDEO = pytest.mark.skipif(not have_ffmpeg(), reason="no ffmpeg: pip install 'jointplay[video]'")
KINDS = [pytest.param(".mp4", marks=VIDEO), pytest.param(".webm", marks=VIDEO), ".gif"]


def decode(file: Path) -> tuple[np.ndarray, float]:
    """Frames (count, height, width, 3) from 0 to 1, and how long they last (s)."""
    if file.suffix == ".gif":
        with Image.open(file) as gif:
            shown = [(np.asarray(one.convert("RGB")), one.info["duration"]) for one in ImageSequence.Iterator(gif)]
        return np.array([one for one, _ in shown]) / 255, sum(last for _, last in shown) / 1000
    words = [
        find_ffmpeg(),
        "-loglevel",
        "error",
        "-i",
        str(file),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    raw = subprocess.run([*words], capture_output=True, check=True).stdout
    facts = subprocess.run(
        [find_ffmpeg(), "-hide_banner", "-i", str(file)], capture_output=True, text=True, check=False
    )
    h, m, s = facts.stderr.split("Duration: ")[1].split(",")[0].split(":")
    frames = np.frombuffer(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)
    return frames / 255, 3600 * int(h) + 60 * int(m) + float(s)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("films")


def options(**more: Any) -> dict[str, Any]:
    return {"size": SIZE, "fps": FPS, "speed": SPEED, **more}


@pytest.fixture(scope="module")
def truth(browser: Browser, slider_crank: jp.Solution) -> list[np.ndarray]:
    """The page as it stands at the instants of the film, in a tab of its own, in any order."""
    tab = browser.open(size=SIZE)
    tab.write(page(slider_crank))
    tab.run("jointplay.film({look: null, magnify: 1, dark: false, panel: false}); jointplay.pace(0.03)")
    times = np.minimum(np.arange(FRAMES) * SPEED / FPS, slider_crank.time[-1])
    out: dict[int, np.ndarray] = {}
    for k in reversed(range(FRAMES)):
        tab.run(f"jointplay.seek({float(times[k])!r})")
        for _ in range(3):
            tab.settle()
        out[k] = tab.pixels()
    tab.close()
    return [out[k] for k in range(FRAMES)]


@pytest.mark.parametrize("ending", KINDS)
def test_decoded_again(ending: str, folder: Path, slider_crank: jp.Solution, truth: list[np.ndarray]) -> None:
    """Encoding costs little: 0.0072 (.mp4), 0.0068 (.webm), 0.0013 (.gif) of a channel in the mean were seen.

    The bound is twice that, for other versions of encoders; neighbouring frames differ by 0.011 or more.
    """
    file = slider_crank.view(folder / f"run{ending}", **options())
    assert file == folder / f"run{ending}"
    frames, seconds = decode(file)
    assert frames.shape == (FRAMES, SIZE[1], SIZE[0], 3)
    assert seconds == pytest.approx(FRAMES / FPS, abs=0.011)  # the header has hundredths
    for k, wanted in enumerate(truth):
        assert np.abs(frames[k] - wanted).mean() < 0.0145, k
        others = [np.abs(frames[k] - truth[n]).mean() for n in range(FRAMES) if abs(n - k) == 1]
        assert np.abs(frames[k] - wanted).mean() < min(others), k  # it is this instant, and no other
    assert sorted(one.name for one in folder.iterdir() if one.name.startswith(".")) == []


def keeping(pictures: list[bytes]) -> Any:
    """An encoder that keeps what it is given."""

    @contextmanager
    def encode(draft: Path, fps: float) -> Iterator[Any]:
        yield pictures.append
        draft.write_bytes(b"a film")

    return encode


def test_frames_are_exact_and_repeat(slider_crank: jp.Solution, truth: list[np.ndarray], tmp_path: Path) -> None:
    """What the encoder gets is the screenshot of the page, bit by bit, and the same a second time."""
    taken: list[list[bytes]] = [[], []]
    for pictures in taken:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(FORMATS, ".gif", replace(FORMATS[".gif"], encode=keeping(pictures)))
            slider_crank.view(tmp_path / "run.gif", **options())
    first, second = ([np.asarray(Image.open(BytesIO(one)).convert("RGB")) for one in pictures] for pictures in taken)
    for k in range(FRAMES):
        assert np.array_equal(first[k], second[k])
        assert np.abs(first[k] / 255 - truth[k]).max() < 1e-6, k


def test_the_same_film_has_the_same_bytes(slider_crank: jp.Solution, tmp_path: Path) -> None:
    short = options(end="6 ms")
    one, two = (slider_crank.view(tmp_path / name, **short).read_bytes() for name in ("a.gif", "b.gif"))
    assert one == two


def test_speed_is_that_of_the_player(slider_crank: jp.Solution, tmp_path: Path) -> None:
    """30 ms take 6 s: 0.005 times real time, as the page would play them; a part of it is slower still."""
    made = film(slider_crank, tmp_path / "a.gif", size=SIZE, fps=2)
    assert made.speed == 0.005
    assert np.allclose(made.times, np.arange(13) * 0.0025)
    part = film(slider_crank, tmp_path / "a.gif", size=SIZE, fps=2, start="10 ms", end=0.015)
    assert part.speed == 0.001
    assert np.allclose(part.times, 0.01 + np.arange(11) * 0.0005)


def test_looks(ball_joint: jp.Solution, tmp_path: Path) -> None:
    """Dark, magnified, from the side, with curves: each changes the picture, and the size is as asked for."""
    usual = options(fps=2, speed=0.1, size="800x450")
    seen = []
    for more in ({}, {"dark": True}, {"magnify": 30}, {"magnify": "auto"}, {"look": "side"}, {"curves": "B.offset"}):
        frames, _ = decode(ball_joint.view(tmp_path / "a.gif", **(usual | more)))
        assert frames.shape == (2, 450, 800, 3)
        seen.append(frames[1])
    assert seen[1].mean() < 0.3 < seen[0].mean()
    for a in range(len(seen)):
        for b in range(a):
            assert np.abs(seen[a] - seen[b]).mean() > 1e-4, (a, b)


def test_command(slider_crank: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    slider_crank.save("run.nc")
    words = ["view", "run.nc", "-o", "run.gif", "--size", "320x180", "--fps", "5", "--speed", "0.03"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "320x180): 6 frames, 1.2 s at 0.03 times real time" in result.stdout
    assert decode(tmp_path / "run.gif")[0].shape == (6, 180, 320, 3)


def test_ctrl_c_leaves_nothing(slider_crank: jp.Solution, tmp_path: Path) -> None:
    """In the midst of filming: no half film, no browser, no folder; a film that was there stays."""
    slider_crank.save(tmp_path / "run.nc")
    (tmp_path / "run.gif").write_bytes(b"old")
    words = [
        sys.executable,
        "-m",
        "jointplay",
        "view",
        "run.nc",
        "-o",
        "run.gif",
        "--speed",
        "0.0005",
        "--size",
        "320x180",
    ]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True) as process:
        for _ in range(1200):
            if list(tmp_path.glob(".jointplay-*/frame000001.png")):
                break
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr and process.stderr.read().decode().splitlines()[-1] == "interrupted"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run.gif", "run.nc"]
    assert (tmp_path / "run.gif").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"magnify": 900}, "magnify: at most 300: with more play than that the parts could not reach each other"),
        ({"speed": 1e-9}, "speed: the film would have 600000001 frames, more than 36000"),
    ],
)
def test_what_only_the_page_knows(given: dict[str, Any], said: str, slider_crank: jp.Solution, tmp_path: Path) -> None:
    with pytest.raises(jp.InputError, match=said):
        slider_crank.view(tmp_path / "run.gif", **options(**given))
    assert list(tmp_path.iterdir()) == []


def test_no_play_to_magnify(tmp_path: Path) -> None:
    s = jp.System("bar", planar=True)
    s.revolute("P", s.ground, s.body("bar", mass=1.0, inertia=0.1, position=(0.5, 0)), point=(0, 0))
    with pytest.raises(jp.InputError, match="magnify: no joint of this mechanism has play"):
        jp.simulate(s, 0.1, save=0.01).view(tmp_path / "run.gif", magnify=2)


@VIDEO
def test_an_encoder_that_fails_says_why(
    slider_crank: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that lists its encoders, then ends with a sentence."""
    false = tmp_path / "ffmpeg"
    false.write_text(
        '#!/bin/sh\ncase "$*" in *-encoders*) echo " V....D libx264 x";; *) echo "disk on fire" >&2; exit 1;; esac\n'
    )
    false.chmod(0o755)
    monkeypatch.setenv("JOINTPLAY_FFMPEG", str(false))
    with pytest.raises(jp.InputError, match=r"path: cannot write .*run\.mp4: ffmpeg: disk on fire"):
        slider_crank.view(tmp_path / "run.mp4", **options())
    with pytest.raises(jp.InputError, match="path: .*has no encoder for this kind of film; it needs one of libvpx-vp9"):
        slider_crank.view(tmp_path / "run.webm", **options())
    assert [one.name for one in tmp_path.iterdir()] == ["ffmpeg"]
