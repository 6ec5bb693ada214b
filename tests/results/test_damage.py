"""Damaged and hand-made files: a sentence or the right numbers; no hang, no traceback, no memory beyond their size."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zlib import crc32

import h5py
import numpy as np
import pytest
from outputs import put

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.results import outline as module
from jointplay.results.places import Progress
from jointplay.results.seal import FOOT, SUM, Seal, read_seal


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run with impacts."""
    path = tmp_path_factory.mktemp("small") / "ball.nc"
    solution = jp.simulate(jp.load_model(GALLERY / "bouncing_ball.yaml"), 1.2, jp.Moreau(step=1e-3), 0.1, output=path)
    assert len(solution.impacts) >= 1
    return path


def without_seal(path: Path, to: Path) -> Path:
    """The file as other programs, and older versions, leave it."""
    data = path.read_bytes()
    to.write_bytes(data[: int.from_bytes(data[40:48], "little")])
    return to


def same(one: jp.Solution, two: jp.Solution) -> bool:
    facts = all(getattr(one, name) == getattr(two, name) for name in ("outcome", "stats", "meta", "names"))
    numbers = all(np.array_equal(one[name], two[name], equal_nan=True) for name in ("time", *two.names))
    states = [part.tobytes() for part in one.state] == [part.tobytes() for part in two.state]
    peaks = repr(one.peaks) == repr(two.peaks)
    return facts and numbers and states and peaks and np.array_equal(one.impacts, two.impacts)


def test_flipped_bits_are_found(small: Path, tmp_path: Path) -> None:
    whole, truth, chance = small.read_bytes(), jp.load(small), random.Random(20)
    bad, refused = tmp_path / "bad.nc", 0
    for place in [*range(8, 64, 8), *(chance.randrange(len(whole)) for _ in range(300)), *range(-60, 0)]:
        data = bytearray(whole)
        data[place] ^= 1 << chance.randrange(8)
        bad.write_bytes(data)
        try:
            assert same(jp.load(bad), truth), place
        except jp.InputError as error:
            assert str(error).startswith(f"{bad}: is ")
            refused += 1
    assert refused > 300


def test_parts_that_are_cut_off_or_zero_are_found(small: Path, tmp_path: Path) -> None:
    whole, chance, bad = small.read_bytes(), random.Random(21), tmp_path / "bad.nc"
    for _ in range(100):
        begin = chance.randrange(len(whole))
        end = min(len(whole), begin + 512)
        for data in (whole[:begin], whole[:begin] + whole[end:], whole[:begin] + b"\xff" * (end - begin) + whole[end:]):
            bad.write_bytes(data)
            try:
                assert same(jp.load(bad), jp.load(small))
            except jp.InputError:
                pass


def test_a_damaged_variable_does_not_spoil_the_others(small: Path, tmp_path: Path) -> None:
    with h5py.File(small) as file:
        place = file["velocity"].id.get_offset()
    bad = tmp_path / "bad.nc"
    data = bytearray(small.read_bytes())
    data[place + 17] ^= 4
    bad.write_bytes(data)
    solution = jp.load(bad)
    assert np.array_equal(solution["ball.position"], jp.load(small)["ball.position"])
    with pytest.raises(jp.InputError, match="velocity does not agree with its checksum"):
        solution["ball.velocity"]


def test_a_file_without_a_seal_is_read_as_well(small: Path, tmp_path: Path) -> None:
    assert same(jp.load(without_seal(small, tmp_path / "old.nc")), jp.load(small))


def test_a_state_of_another_version_is_left_out(small: Path, tmp_path: Path) -> None:
    old = without_seal(small, tmp_path / "old.nc")
    with h5py.File(old, "r+") as file:
        file["state"].attrs["sizes"] = file["state"].attrs["sizes"] + np.array([-8, 8, 0, 0])
    solution = jp.load(old)
    assert solution.state is None
    with pytest.raises(jp.InputError, match="no State to go on from"):
        jp.simulate(jp.load_model(GALLERY / "bouncing_ball.yaml"), 2.0, start=solution)


@pytest.mark.parametrize("how", ["while True: pass", "bytes(1 << 40)", "import os; os.abort()"])
def test_whatever_hdf5_does_it_ends(how: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that loops, takes all memory or dies in place of HDF5."""
    program = tmp_path / "outline.py"
    text = Path(module.__file__).read_text()
    program.write_text(text.replace("    import h5py\n", f"    {how}\n").replace("SECONDS = 3", "SECONDS = 1"))
    monkeypatch.setattr(module, "__file__", str(program))
    with pytest.raises(jp.InputError, match="HDF5 cannot read it"):
        jp.load(without_seal(small, tmp_path / "old.nc"))


def claim(path: Path, kind: str) -> None:
    """Make a small file say that it is a large one."""
    with h5py.File(path, "r+") as file:
        if kind == "states":
            file["progress"][:] = (10**12, 0)
        elif kind == "impacts":
            file["impact_count"][:] = 10**12
        elif kind == "slot":
            file["progress"][:] = (3, 10**9)
        elif kind == "length":
            del file["position"]
            file.create_dataset("position", (10**11, 1, 3), dtype=float)
        elif kind == "pieces":
            del file["position"]
            file.create_dataset("position", (10**11, 1, 3), dtype=float, chunks=(1000, 1, 3), compression="gzip")
        elif kind == "kind":
            del file["position"]
            file["position"] = np.zeros((13, 1, 3), dtype=np.float32)
        elif kind == "parts":
            file["state"].attrs["sizes"] = np.array([10**12, -(10**12), 0, 0])


@pytest.mark.parametrize("kind", ["states", "impacts", "slot", "length", "pieces", "kind", "parts"])
def test_a_small_file_cannot_ask_for_much_memory(kind: str, small: Path, tmp_path: Path) -> None:
    path = without_seal(small, tmp_path / "old.nc")
    claim(path, kind)
    with pytest.raises(jp.InputError, match="is damaged"):
        jp.load(path)


def rewrite(path: Path, to: Path, **changes: Any) -> Path:
    """A copy with other texts, numbers or counts, sealed again: what a careful forger would make."""
    data = bytearray(path.read_bytes())
    with path.open("rb") as stream:
        contents = read_seal(stream, len(data))
    _, offset, length, _ = FOOT.unpack(data[-FOOT.size - SUM.size : -SUM.size])
    index = json.loads(data[offset : offset + length])
    progress = contents.progress
    said = Progress(**{name: changes.pop(name, value) for name, value in asdict(progress).items()})

    def filled(name: str, lines: int) -> slice:
        place = contents.places[name]
        return slice(place.offset, place.offset + place.line * lines)

    for name, value in changes.items():
        room = filled(name, contents.places[name].shape[0])
        if isinstance(value, dict) and name == "verdict":
            value = value | {"sum": crc32(json.dumps(value).encode())}
        raw = value.tobytes() if isinstance(value, np.ndarray) else json.dumps(value, separators=(",", ":")).encode()
        assert len(raw) <= room.stop - room.start
        data[room] = raw.ljust(room.stop - room.start)
        if name in index["sums"]:
            index["sums"][name] = crc32(data[room])
    changing = index.pop("changing")
    seal = Seal(offset, index, changing)
    for name in changing:
        lines = {"impacts": progress.events, "extremes": 4}.get(name, progress.saved)
        if name == "state":
            start, line = contents.places[name].offset, contents.places[name].line
            seal.add(name, data[start + line * progress.slot : start + line * (progress.slot + 1)])
        else:
            seal.add(name, data[filled(name, lines)])
    data[offset:] = seal.whole()
    seal.count(said)
    place, record = seal.record()
    data[place : place + len(record)] = record
    to.write_bytes(data)
    return to


def test_rewritten_with_the_same_content_it_is_the_same(small: Path, tmp_path: Path) -> None:
    truth = jp.load(small)
    assert same(jp.load(rewrite(small, tmp_path / "twin.nc", meta=truth.meta)), truth)


def layouts(whole: dict[str, Any]) -> list[Any]:
    """Layouts that cannot be."""
    first, *others = whole["variables"]

    def with_first(**changed: Any) -> dict[str, Any]:
        return whole | {"variables": [first | changed, *others]}

    return [
        [], {}, 3, None, "text", {"variables": 7}, {"variables": [1], "channels": 3}, whole | {"channels": "many"},
        whole | {"variables": whole["variables"][:3]}, whole | {"variables": [first, first]},
        whole | {"variables": [one for one in whole["variables"] if one["name"] != "torque"]},
        whole | {"contacts": 0}, whole | {"contacts": []}, with_first(columns=[]), with_first(columns=[[]]),
        with_first(columns=[[0, 1]]), with_first(labels=[]), with_first(name="speed"), with_first(dimension=""),
        with_first(publics=0), with_first(units=[]), with_first(labels=["box"]), with_first(grouped=True),
        with_first(publics=["box.position"]),
        whole | {"variables": others},
    ]  # fmt: skip


def test_texts_and_numbers_made_by_hand(small: Path, tmp_path: Path) -> None:
    truth, path = jp.load(small), tmp_path / "bad.nc"
    verdict = {"code": 0, "time": 1.2, "message": "", "stats": truth.stats}
    lines = len(truth.impacts)
    cases: list[dict[str, Any]] = [
        *({"layout": one} for one in layouts(json.loads(json.dumps(truth.layout.to_json())))),
        *({"impacts": np.full((lines, 9), one)} for one in (np.nan, -1.0, 0.5, 1e300, np.inf)),
        *({"meta": one} for one in ([], 3, None, {"notes": "a"}, {"until": "b"}, {"versions": []}, {"name": 4})),
        *({"meta": {"notes": [one]}} for one in (None, 3, {}, [])), {"meta": {"versions": {"numpy": 2}}},
        *({"meta": {"events": one}} for one in (3, [4], [["a", 1]], [[1.0]])), {"meta": {"inputs": [[0.0, "u", "v"]]}},
        *({"meta": {"until": one}} for one in (True, float("nan"), 10**400)), {"meta": {"meshes": {"a": []}}},
        *({"verdict": verdict | {"stats": one}} for one in ([], 1, {"steps": 3}, truth.stats | {"wall_time": "long"})),
        *({"verdict": verdict | one} for one in ({"code": 77}, {"code": None}, {"time": None}, {"message": 3})),
        *({"verdict": one} for one in ([], 3, {})),
        {"time": truth.time[::-1]}, {"time": np.full_like(truth.time, np.nan)},
        {"saved": 10**12}, {"saved": -1}, {"slot": 7}, {"events": 10**12}, {"events": -1},
        {"verdict": np.frombuffer(b" ", dtype=np.uint8)},
    ]  # fmt: skip
    for case in cases:
        with pytest.raises(jp.InputError, match=r"bad\.nc: is damaged") as caught:
            jp.load(rewrite(small, path, **case))
        assert "\n" not in str(caught.value), case


def test_a_long_message_is_shortened_and_not_cut_in_the_midst(solution: jp.Solution, tmp_path: Path) -> None:
    solution.outcome = jp.Outcome(solution.outcome.code, 1.0, "ä" * 5000)
    found = jp.load(solution.save(tmp_path / "long.nc"))
    assert set(found.outcome.message) == {"ä"}
    assert found.stats == solution.stats


def test_a_file_that_is_replaced_after_loading_is_not_mixed_up(small: Path, result_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    shutil.copy(small, path)
    old = jp.load(path)
    old["ball.position"]
    jp.load(result_file).save(path)
    assert old["ball.position"].shape == (13, 3)  # was read before
    with pytest.raises(jp.InputError, match="has been replaced since it was loaded"):
        old["ball.velocity"]


@pytest.mark.parametrize("kind", ["pipe", "socket", "directory", "link to nothing", "link to a pipe"])
def test_what_is_no_file_is_not_opened(kind: str, tmp_path: Path) -> None:
    put(kind, tmp_path / "run.nc")
    with pytest.raises(jp.InputError, match=r"run\.nc: (is a (pipe|socket|directory), not a|there is no such file)"):
        jp.load(tmp_path / "run.nc")


def test_a_good_file_is_read_without_hdf5(small: Path) -> None:
    code = f"import sys, jointplay as jp; jp.load({str(small)!r})['ball.position']; print('h5py' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "False\n"
    assert done.stderr == ""
