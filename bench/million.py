"""``python -m bench.million [COUNT]``: a million samples of a small model; memory, file and time to open it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import jointplay as jp

MODEL = """
jointplay: 1
name: thrown mass
gravity: [0, 0, -9.81]
parameters: {speed: 2 m/s, drop: 0.1 m}
bodies: {m: {mass: 1, inertia: 1, position: [0, 0, drop], velocity: [speed, 0, 0]}}
run: {until: 0.1 s, method: {verlet: {step: 10 ms}}}
"""
OPEN = (
    "import sys, time; import jointplay as jp; jp.load_study; t = time.perf_counter(); s = jp.load_study(sys.argv[1]); "
)
TELL = "print(f'{time.perf_counter() - t:.3f} s to open, {len(s.done)} rows, mean {s.mean(s.outputs[0])}')"


def run(folder: Path, count: int) -> tuple[Path, float]:
    """A study of so many samples; its file and the seconds it took."""
    file = folder / f"{count}.nc"
    begin = time.perf_counter()
    jp.study(
        folder / "mass.yaml",
        {"speed": "2 m/s +- 0.1 m/s", "drop": "0.1 m +- 1 mm", "bodies.m.mass": "1 kg +- 0.01 kg"},
        [jp.Final("m.position[0]"), jp.Final("m.position[2]"), jp.Final("energy.kinetic")],
        [jp.AtMost(jp.Final("m.position[0]"), "0.205 m")],
        jp.Random(count, seed=1),
        output=file,
        workers=1,
    )
    return file, time.perf_counter() - begin


def main() -> None:
    """Compare a thousand samples with a million."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mass.yaml").write_text(MODEL)
        run(folder, 1000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        file, seconds = run(folder, count)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{count} samples in {seconds:.0f} s, {1e6 * seconds / count:.0f} us each")
        size, grown = os.stat(file).st_size / 1e6, (after - before) / 1024
        print(f"memory of the parent grew by {grown:.1f} MB; the file has {size:.0f} MB")
        subprocess.run([sys.executable, "-c", OPEN + TELL, str(file)], check=True)


if __name__ == "__main__":
    main()
