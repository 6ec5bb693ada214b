"""A film as an animated GIF: 256 colours for the whole film, and of each picture only what has changed.

Browsers show pictures for whole hundredths of a second. Times are rounded, not durations: 30 frames a second last 3, 3
and 4 of them in turn, and the film as long as it should.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS = 256
SAMPLES = 4_000_000  # pixels from which colours are chosen
TICK = 10  # ms: the unit of time of the format


@contextmanager
def encode_gif(draft: Path, fps: float) -> Iterator[Callable[[bytes], None]]:
    """Keep all pictures beside the draft, then choose colours for all of them and write it."""
    kept: list[Path] = []

    def add(picture: bytes) -> None:
        kept.append(draft.with_name(f"frame{len(kept):06}.png"))
        kept[-1].write_bytes(picture)

    yield add
    _write(draft, kept, fps)


def _write(draft: Path, kept: list[Path], fps: float) -> None:
    from PIL.GifImagePlugin import getdata, getheader
    from PIL.Image import Dither
    from PIL.ImageChops import difference

    palette = _palette(kept)
    ends = [round(100.0 * (k + 1) / fps) for k in range(len(kept))]
    with draft.open("wb") as stream:
        pending: tuple[Image, tuple[int, int]] | None = None
        before: Image | None = None
        shown = 0  # hundredths of a second that are written
        for k, file in enumerate(kept):
            # dots would dance from frame to frame: each colour is replaced by the nearest one
            picture = _read(file).quantize(palette=palette, dither=Dither.NONE)
            box = None if before is None else difference(picture.convert("RGB"), before.convert("RGB")).getbbox()
            if before is not None and box is None:
                continue  # nothing has changed: the picture before is shown for longer
            if pending is None:
                for piece in getheader(picture, info={"loop": 0, "background": 0})[0]:
                    stream.write(piece)
            else:
                shown = _put(stream, pending, shown, ends[k - 1], getdata)
            pending = (picture, (0, 0)) if box is None else (picture.crop(box), box[:2])
            before = picture
        if pending is not None:
            _put(stream, pending, shown, ends[-1], getdata)
        stream.write(b";")


def _put(stream: IO[bytes], frame: tuple[Image, tuple[int, int]], shown: int, end: int, getdata: Callable) -> int:
    """Write a part of the picture that is shown until ``end``, over what was there."""
    for piece in getdata(frame[0], frame[1], duration=TICK * max(1, end - shown), disposal=1):
        stream.write(piece)
    return end


def _palette(kept: list[Path]) -> Image:
    """The colours of a film, from pixels of all its pictures: a flash that is seen for a moment has its share."""
    from PIL import Image
    from PIL.Image import Quantize, Resampling

    wide, high = _read(kept[0]).size
    step = max(1, round((len(kept) * wide * high / SAMPLES) ** 0.5))
    small = wide // step, high // step
    sheet = Image.new("RGB", (small[0], small[1] * len(kept)))
    for k, file in enumerate(kept):
        sheet.paste(_read(file).resize(small, Resampling.NEAREST), (0, k * small[1]))
    return sheet.quantize(COLOURS, method=Quantize.MAXCOVERAGE)


def _read(file: Path) -> Image:
    from PIL import Image

    return Image.open(file).convert("RGB")
