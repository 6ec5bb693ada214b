"""Studies on a real local cluster of worker processes; left out where Dask is not installed."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.native import library as native
from jointplay.studies import cluster
from jointplay.studies.cluster import Cluster, differences, fingerprint, has_kernels, packed_kernels, unpack_kernels

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

CRANK = entries()["slider_crank_clearance"]
VARY = {"gap": jp.Uniform("0.9 mm", "1.1 mm"), "mu": jp.Uniform(0.005, 0.02)}


def study(count, **options):
    return jp.study(
        CRANK,
        VARY,
        [jp.Final("crank.angular_velocity[2]"), jp.Impacts()],
        plan=jp.Sobol(count, seed=1),
        until=0.01,
        method=jp.Moreau(step=1e-5),
        **options,
    )


@pytest.fixture(scope="module")
def two_workers():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def test_the_same_bits_as_threads(tmp_path, two_workers):
    study(64, output=tmp_path / "threads.nc", workers=1)
    study(64, output=tmp_path / "dask.nc", workers=two_workers)
    assert (tmp_path / "dask.nc").read_bytes() == (tmp_path / "threads.nc").read_bytes()


def test_a_killed_worker_is_made_up_for(tmp_path, two_workers, monkeypatch):
    """One of two worker processes is killed in the middle; its stretches run again, the file has the same bits."""
    monkeypatch.setattr(cluster, "SPAN", (0.2, 0.4))  # many short stretches, so that the middle is in the middle
    study(512, output=tmp_path / "threads.nc", workers=2)
    pids = two_workers.run(os.getpid)
    told = []

    def kill(progress):
        told.append(progress.done)
        if not killed.is_set() and progress.done > 32:
            killed.set()
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    killed = threading.Event()
    study(512, output=tmp_path / "dask.nc", workers=two_workers, progress=kill)
    assert killed.is_set() and told[-1] == 512
    assert (tmp_path / "dask.nc").read_bytes() == (tmp_path / "threads.nc").read_bytes()
    deadline = time.monotonic() + 30
    while len(two_workers.scheduler_info()["workers"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)


def test_other_versions_are_refused_in_a_sentence(two_workers, monkeypatch):
    own = fingerprint()
    assert differences(own, own) == []
    assert differences(own, own | {"numpy": "0.1", "processor": "other"}) == [f"numpy 0.1 there, {own['numpy']} here"]
    monkeypatch.setattr(cluster, "fingerprint", lambda: own | {"kernel sources": "0"})

    class Client:
        def run(self, function, *args, **options):
            return {"tcp://a": own}

    with pytest.raises(jp.InputError, match="cannot take part: kernel sources"):
        Cluster(None, Client())


def test_kernels_travel(tmp_path, monkeypatch):
    """A worker without libraries gets ours, where it looks for them; one that has them keeps its own."""
    held = native.library("engine")
    if held is None or not held.is_current:
        pytest.skip("the library is not that of the present sources")
    data = packed_kernels()
    assert [name for name in data if name.startswith("engine")] == [held.path.name, held.manifest.name]
    monkeypatch.setattr(native, "made_here", lambda: tmp_path)
    monkeypatch.setattr(native, "SHIPPED", tmp_path / "nothing")
    native.library.cache_clear()
    try:
        assert not has_kernels()
        assert unpack_kernels(data) == len(data) and unpack_kernels(data) == 0
        assert has_kernels()
        assert native.library("engine").path == tmp_path / held.path.name
    finally:
        native.library.cache_clear()


def test_a_scheduler_that_is_not_there_is_a_sentence(tmp_path):
    from jointplay.cli.study import _client

    with pytest.raises(jp.InputError, match="no scheduler answers"):
        _client("tcp://127.0.0.1:1")
