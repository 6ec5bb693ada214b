"""Films in files: pictures (PNG) one after the other become .mp4 or .webm by ffmpeg, .gif by Pillow.

An encoder is given a draft to write and is called with one picture after the other; what it keeps meanwhile lies beside
the draft, in a folder that is removed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...errors import InputError, Problem
from .gif import encode_gif

VARIABLE = "JOINTPLAY_FFMPEG"
Add = Callable[[bytes], None]
# Encoders by quality, the first that this ffmpeg has; colours as players expect them in high definition.
H264 = {"libx264": "-crf 18 -preset medium", "libopenh264": "-b:v 8M", "mpeg4": "-q:v 2"}
VP9 = {"libvpx-vp9": "-crf 24 -b:v 0 -deadline good -cpu-used 3 -row-mt 1", "libvpx": "-crf 8 -b:v 8M"}
COLOURS = (
    "-vf scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,"
    "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709"
)
SAME = (
    "-map_metadata -1 -fflags +bitexact -flags:v +bitexact"  # neither dates nor versions: the same run, the same bytes
)


@dataclass(frozen=True)
class Format:
    """A kind of film, and what is usual for it."""

    encode: Callable[[Path, float], AbstractContextManager[Add]]
    ready: Callable[[], object]  # InputError if something is missing
    fps: float = 30.0
    most_fps: float = 120.0
    size: tuple[int, int] = (1280, 720)


def find_ffmpeg() -> str:
    """Path of ffmpeg: that of JOINTPLAY_FFMPEG, on the PATH, or in the package imageio-ffmpeg; else InputError."""
    given = os.environ.get(VARIABLE)
    path = shutil.which(given or "ffmpeg")
    if path is not None:
        return path
    if given:
        raise InputError(Problem(VARIABLE, f"'{given}' is no program that can be started"))
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):  # not installed, or without a program for this machine
        message = (
            f".mp4 and .webm need ffmpeg: pip install 'jointplay[video]', or install ffmpeg, or name it by {VARIABLE}; "
            ".gif needs nothing"
        )
        raise InputError(Problem("path", message)) from None


def _choose(ffmpeg: str, known: dict[str, str]) -> list[str]:
    """Options for the first encoder that this ffmpeg has."""
    listed = subprocess.run([ffmpeg, "-hide_banner", "-encoders"], capture_output=True, text=True, check=False).stdout
    names = {line.split()[1] for line in listed.splitlines() if len(line.split()) > 1}
    for name, options in known.items():
        if name in names:
            return ["-c:v", name, *options.split()]
    raise InputError(
        Problem("path", f"{ffmpeg} has no encoder for this kind of film; it needs one of {', '.join(known)}")
    )


@contextmanager
def encode_video(draft: Path, fps: float, *, known: dict[str, str], more: str = "") -> Iterator[Add]:
    """Pictures to ffmpeg, which writes the draft."""
    ffmpeg = find_ffmpeg()
    log = draft.with_name("output.txt")
    words = [ffmpeg, "-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v", "png"]
    words += ["-framerate", f"{fps:.10g}", "-i", "pipe:0", "-an", *COLOURS.split(), *_choose(ffmpeg, known)]
    words += [*more.split(), *SAME.split(), str(draft)]
    with log.open("wb") as output:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True)
    assert process.stdin is not None

    def add(picture: bytes) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(picture)
        except BrokenPipeError:
            raise _failed(process, log) from None

    try:
        yield add
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        if process.wait():
            raise _failed(process, log)
    finally:
        process.kill()
        process.wait()


def _failed(process: subprocess.Popen[bytes], log: Path) -> OSError:
    """Why ffmpeg ended, in its own words."""
    code = process.wait()
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    reason = next((line.strip() for line in reversed(lines) if line.strip()), f"it ended with {code}")
    return OSError(f"ffmpeg: {reason[:300]}")


FORMATS: dict[str, Format] = {
    ".mp4": Format(partial(encode_video, known=H264, more="-movflags +faststart"), find_ffmpeg),
    ".webm": Format(partial(encode_video, known=VP9), find_ffmpeg),
    ".gif": Format(encode_gif, lambda: None, fps=20.0, most_fps=50.0, size=(800, 450)),
}
