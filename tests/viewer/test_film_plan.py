"""What a film should be: options read, all problems at once, and what is missing told in a sentence. No browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app
from jointplay.cli.examples import GALLERY
from jointplay.viewer.film import FORMATS
from jointplay.viewer.film.browser import Browser
from jointplay.viewer.film.gif import encode_gif
from jointplay.viewer.film.pipe import BrowserError
from jointplay.viewer.film.plan import read_plan


def plan(solution: jp.Solution, ending: str = ".mp4", **options: Any) -> Any:
    return read_plan(solution, FORMATS[ending], options, curves=False)


def test_usual(slider_crank: jp.Solution) -> None:
    usual = plan(slider_crank)
    assert (usual.fps, usual.size, usual.speed, usual.scale) == (30.0, (1280, 720), None, 1)
    assert (usual.start, usual.end) == (0.0, slider_crank.time[-1])
    assert (plan(slider_crank, ".gif").fps, plan(slider_crank, ".gif").size) == (20.0, (800, 450))
    assert plan(slider_crank, size="3840x2160").scale == 2
    assert plan(slider_crank, size=(640, 360)).size == plan(slider_crank, size=" 640 × 360 ").size == (640, 360)
    assert plan(slider_crank, speed="1/200").speed == 0.005
    assert read_plan(slider_crank, FORMATS[".mp4"], {}, curves=True).panel is True
    assert read_plan(slider_crank, FORMATS[".mp4"], {"panel": False}, curves=True).panel is False


def test_instants(slider_crank: jp.Solution) -> None:
    """t_k = start + k speed / fps, the last one at the end or less than one step before it."""
    for speed, fps, start, end in ((0.01, 30, 0.0, 0.03), (0.007, 24, 0.004, 0.0213), (1e-4, 50, 0.001, 0.002)):
        times = plan(slider_crank, fps=fps, start=start, end=end).instants(speed)
        assert times[0] == start
        assert np.allclose(np.diff(times), speed / fps, rtol=1e-9, atol=0.0)
        assert end - speed / fps < times[-1] + 1e-15 and times[-1] <= end
    assert len(plan(slider_crank, fps=30, end=0.03).instants(0.03)) == 31
    with pytest.raises(jp.InputError, match="one frame only; at most 0.9 makes two"):
        plan(slider_crank, fps=30).instants(1.0)


BAD = [
    ({"fps": 0}, "fps: must lie between 1 and 120, is 0"),
    ({"fps": "many"}, "fps: "),
    ({"fps": "3 s"}, "fps: "),
    ({"size": "big"}, "size: needs width x height in pixels, such as 1280x720, not 'big'"),
    ({"size": "641x360"}, "size: both must be even and between 160 and 4096 pixels, not 641x360"),
    ({"size": (100, 100)}, "size: both must be even"),
    ({"size": 5}, "size: needs width x height"),
    ({"size": (640, 360), "panel": True}, "size: with curves beside the picture, 800 pixels of width are needed"),
    ({"speed": -1}, "speed: must lie between"),
    ({"speed": float("nan")}, "speed: "),
    ({"start": "5 s"}, "start: 5 s is outside of it: the run lasts from 0 to 0.03 s"),
    ({"end": "2 kg"}, "end: "),
    ({"start": "20 ms", "end": "10 ms"}, "end: must be later than 0.02 s, where the film starts, is 0.01 s"),
    ({"magnify": 0.5}, "magnify: must lie between 1 and 1000"),
    ({"look": "below"}, "look: there is no view 'below'; known are front, side, top, 3d"),
    ({"sped": 1}, "sped: no such option; did you mean 'speed'?"),
]


@pytest.mark.parametrize(("given", "said"), BAD, ids=str)
def test_sentences(given: dict[str, Any], said: str, slider_crank: jp.Solution, tmp_path: Path) -> None:
    with pytest.raises(jp.InputError) as caught:
        slider_crank.view(tmp_path / "run.gif" if "fps" not in given else tmp_path / "run.mp4", **given)
    assert said in str(caught.value)
    assert len(caught.value.problems) == 1
    assert list(tmp_path.iterdir()) == []


def test_all_problems_at_once(slider_crank: jp.Solution, tmp_path: Path) -> None:
    with pytest.raises(jp.InputError) as caught:
        slider_crank.view(tmp_path / "run.gif", fps=60, size="1x1", speed="fast", look="up", magnify=0)
    assert {one.field for one in caught.value.problems} == {"fps", "size", "speed", "look", "magnify"}
    assert "fps: must lie between 1 and 50, is 60" in str(caught.value)  # of a .gif


def test_what_is_no_film(slider_crank: jp.Solution, tmp_path: Path) -> None:
    with pytest.raises(
        jp.InputError, match="must end in .html, by which browsers open it, or be a film: .mp4, .webm, .gif"
    ):
        slider_crank.view(tmp_path / "run.avi")
    with pytest.raises(jp.InputError, match="fps: is for films"):
        slider_crank.view(tmp_path / "run.html", fps=30)
    with pytest.raises(jp.InputError, match="a model as drawn does not move; write .html"):
        jp.load_model(GALLERY / "pendulum.yaml").view(tmp_path / "drawn.mp4")
    system = jp.load_model(GALLERY / "pendulum.yaml")
    with pytest.raises(jp.InputError, match="a film needs two saved states or more, there are 1"):
        jp.simulate(system, 0.1, save=[0.1]).view(tmp_path / "run.mp4")
    with pytest.raises(jp.InputError, match=r"cannot write .*there is no folder"):
        slider_crank.view(tmp_path / "none" / "run.gif")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with nothing installed."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    for name in ("JOINTPLAY_BROWSER", "JOINTPLAY_FFMPEG", "IMAGEIO_FFMPEG_EXE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)


@pytest.mark.usefixtures("bare")
def test_what_to_install(slider_crank: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(jp.InputError, match="none was found: install Chromium, Chrome or Edge .*JOINTPLAY_BROWSER"):
        slider_crank.view(tmp_path / "run.gif")
    with pytest.raises(jp.InputError, match=r"need ffmpeg: pip install 'jointplay\[video\]'.*JOINTPLAY_FFMPEG"):
        slider_crank.view(tmp_path / "run.mp4")
    with pytest.raises(jp.InputError, match="browser: '/no/such' is no program that can be started"):
        slider_crank.view(tmp_path / "run.gif", browser="/no/such")
    monkeypatch.setenv("JOINTPLAY_BROWSER", "/nor/this")
    with pytest.raises(jp.InputError, match="JOINTPLAY_BROWSER: '/nor/this' is no program"):
        slider_crank.view(tmp_path / "run.gif")
    monkeypatch.setenv("JOINTPLAY_FFMPEG", "/nor/that")
    with pytest.raises(jp.InputError, match="JOINTPLAY_FFMPEG: '/nor/that' is no program"):
        slider_crank.view(tmp_path / "run.webm")


@pytest.mark.parametrize(
    ("script", "said"),
    [("echo FATAL: no room >&2; exit 1", "did not start: FATAL: no room"), ("exit 0", "did not start")],
)
def test_a_browser_that_does_not_start(script: str, said: str, slider_crank: jp.Solution, tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(jp.InputError, match=f"browser: .*{said}"):
        slider_crank.view(tmp_path / "run.gif", browser=str(program))
    with pytest.raises(BrowserError):
        Browser(str(program))
    assert [one.name for one in tmp_path.iterdir()] == ["browser"]


def test_options_have_the_names_of_the_command_line(slider_crank: jp.Solution, tmp_path: Path) -> None:
    slider_crank.save(tmp_path / "run.nc")
    words = [
        "view",
        str(tmp_path / "run.nc"),
        "-o",
        str(tmp_path / "run.mp4"),
        "--from",
        "1 s",
        "--fps",
        "x",
        "--size",
        "1",
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["--fps", "--size", "--from"]
    result = CliRunner().invoke(app, ["view", str(tmp_path / "run.nc"), "-o", str(tmp_path / "a.html"), "--dark"])
    assert result.exit_code == 2 and result.stderr.startswith("--dark: is for films")


def test_a_gif_by_itself(tmp_path: Path) -> None:
    """Times are rounded, not durations; what does not change is shown for longer; colours are kept."""
    pictures = [np.full((20, 30, 3), 40 * k // 2, np.uint8) for k in range(8)]  # pairs are equal: 0, 20, 40
    pictures = [pictures[2 * (k // 2)] for k in range(7)]
    with encode_gif(tmp_path / "a.gif", 30.0) as add:
        for k, one in enumerate(pictures):
            Image.fromarray(one).save(tmp_path / "one.png")
            add((tmp_path / "one.png").read_bytes())
            assert (tmp_path / f"frame{k:06}.png").exists()
    with Image.open(tmp_path / "a.gif") as gif:
        shown = [(np.asarray(one.convert("RGB")), one.info["duration"]) for one in ImageSequence.Iterator(gif)]
        assert gif.info["loop"] == 0
    assert [last for _, last in shown] == [70, 60, 70, 30]  # 7/30 s: 23 hundredths
    for (one, _), wanted in zip(shown, pictures[::2], strict=True):
        assert np.array_equal(one, wanted)
