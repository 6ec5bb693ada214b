"""Damaged study files: a row that is not what was written is run again, a file that lost more than rows is refused."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.errors import InputError
from jointplay.studies.checksums import row_sums
from jointplay.studies.store import StudyFile

VARY = {"x": jp.Uniform(0, 1), "y": jp.Uniform(0, 1)}


def product(x, y):
    return {"p": x * y, "s": x + y}


def made(path, **options):
    return jp.study(product, VARY, plan=jp.Random(200, seed=3), output=path, workers=1, **options)


def flip(path, offset, bit=3):
    raw = bytearray(path.read_bytes())
    raw[offset] ^= 1 << bit
    path.write_bytes(raw)


def place(path, column, row):
    file = StudyFile(path, write=False)
    found = file._places[column]
    file.close()
    return found.offset + row * found.line


@pytest.mark.parametrize("column", ["x", "p", "s", "outcome", "detail", "impacts", "checksum"])
def test_a_flipped_bit_costs_one_row_which_is_run_again(tmp_path, column):
    path = tmp_path / "s.nc"
    made(path)
    whole = path.read_bytes()
    flip(path, place(path, column, 17))
    opened = jp.load_study(path, product)
    assert 17 not in opened.done and len(opened.done) == 199
    assert any("1 rows do not agree" in note for note in opened.notes)
    made(path)
    assert path.read_bytes() == whole


def test_every_byte_outside_of_rows_is_watched(tmp_path):
    path = tmp_path / "s.nc"
    made(path)
    whole = path.read_bytes()
    file = StudyFile(path, write=False)
    rows = [(one.offset, one.offset + one.line * one.shape[0]) for one in file._places.values()]
    file.close()
    stream = np.random.default_rng(5)
    tried = 0
    for offset in stream.permutation(len(whole))[:400].tolist():
        if any(a <= offset < b for a, b in rows):
            continue
        tried += 1
        flip(path, offset)
        with pytest.raises(InputError, match=r"damaged|not the file of a study"):
            StudyFile(path, write=False)
        path.write_bytes(whole)
    assert tried > 20


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "s.nc"
    made(path)
    whole = path.read_bytes()
    for share in (0.2, 0.6, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(InputError, match=r"damaged|not the file of a study"):
            jp.load_study(path, product)


def test_limits_that_changed_are_read_again(tmp_path):
    path = tmp_path / "s.nc"
    made(path)
    assert made(path, limits=[jp.AtMost("p", 0.25)]).limits
    assert jp.load_study(path, product).limits[0].level == 0.25
    flip(path, place(path, "changing", 0) + 20)
    with pytest.raises(InputError, match="limits do not agree with their checksum"):
        jp.load_study(path, product)


def test_other_programs_read_it(tmp_path):
    import xarray

    path = tmp_path / "s.nc"
    study = made(path)
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert np.array_equal(data["p"], study["p"])


def test_rows_that_change_places_are_noticed():
    columns = [np.array([1.0, 2.0, 3.0]), np.array([4, 5, 6], dtype="<i2")]
    sums = row_sums(10, columns)
    assert len(set(sums.tolist())) == 3
    assert not np.any(row_sums(11, columns) == sums)
    assert not np.any(row_sums(10, [columns[0][::-1], columns[1]])[[0, 2]] == sums[[0, 2]])


def test_merge_refuses_rows_that_differ(tmp_path):
    a, b = tmp_path / "a.nc", tmp_path / "b.nc"
    made(a, shard="1/2")
    made(b)
    assert len(jp.load_study(jp.merge_studies([a, b], tmp_path / "m.nc"), product).done) == 200
    file = StudyFile(b, write=True)
    p = np.array([0.5])
    columns = [np.asarray(file.column(one.name))[3:4] for one in file.columns if one.name not in ("checksum", "status")]
    columns[2] = p
    file._put("p", slice(3, 4), p)
    file._put("checksum", slice(3, 4), row_sums(3, columns))
    file.close()
    with pytest.raises(InputError, match="sample 3 is another one here"):
        jp.merge_studies([a, b], tmp_path / "n.nc")
    assert not (tmp_path / "n.nc").exists() and not list(tmp_path.glob(".n*"))


def test_merge_refuses_other_limits(tmp_path):
    a, b = tmp_path / "a.nc", tmp_path / "b.nc"
    made(a, shard="1/2", limits=[jp.AtMost("p", 0.25)])
    made(b, shard="2/2", limits=[jp.AtMost("p", 0.5)])
    with pytest.raises(InputError, match="has other limits"):
        jp.merge_studies([a, b], tmp_path / "m.nc")
