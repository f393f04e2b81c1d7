"""Threads, forks, Ctrl-C, sessions, devices."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import muster
from conftest import SAXPY, SOURCE

SLOW = """
@group(0) @binding(0) var<storage, read_write> v: array<u32>;
@compute @workgroup_size(64) fn slow(@builtin(global_invocation_id) id: vec3u) {
  var n = id.x;
  for (var i = 0u; i < 200000u; i++) { n = n * 1664525u + 1013904223u; }
  v[id.x] = n;
}
"""


def test_threads(saxpy):
    failed = []

    def work():
        try:
            for i in range(200):
                x, y = np.full(64, i, np.float32), np.ones(64, np.float32)
                saxpy(2.0, x, y)
                assert y[0] == 2 * i + 1
                d = muster.asarray(x)
                saxpy(2.0, d, d2 := muster.zeros(64))
                assert d2.numpy()[63] == 2 * i
        except BaseException as why:
            failed.append(why)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed, failed[0]


def test_other_threads_run_while_a_kernel_does():
    slow = muster.kernel(SLOW).prepare()
    v = np.zeros(1 << 14, np.uint32)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    ticks.clear()
    slow(v)
    counted = len(ticks)
    stop.set()
    thread.join()
    assert counted > 3


def run(code, **keywords):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, **keywords)


def test_control_c_stops_waiting():
    done = run(f"""
import os, signal, threading, time
import numpy as np, muster
slow = muster.kernel('''{SLOW}''').prepare()
v = np.zeros(1 << 20, np.uint32)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    slow(v)
    print("not stopped")
except KeyboardInterrupt:
    print("stopped", time.monotonic() - started < 5)
os._exit(0)
""")
    assert done.stdout == "stopped True\n", done.stdout + done.stderr


def test_a_fork_of_the_default_session():
    done = run(f"""
import os
import numpy as np, muster
saxpy = muster.kernel('''{SAXPY}''')
x, y = np.ones(64, np.float32), np.ones(64, np.float32)
saxpy(1.0, x, y)
d, session = muster.asarray(x), muster.session(backend="cpu")
pinned = session.kernel('''{SAXPY}''').prepare()
ticket = saxpy(1.0, x, y, wait=False)
pid = os.fork()
if pid == 0:
    saxpy(1.0, x, y)  # the child opens a session of its own
    said = []
    for each in (lambda: saxpy(1.0, d, y), lambda: pinned(1.0, x, y), d.numpy, ticket.wait,
                 lambda: session.kernel('''{SAXPY}''')(1.0, x, y)):
        try:
            each()
            said.append("nothing")
        except muster.Error as why:
            said.append(why.code)
    print(y[0], *said, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
ticket.wait()
print(y[0], flush=True)
""")
    lines = done.stdout.splitlines()
    assert lines and lines[0].split()[1:] == ["invalid_handle"] * 5, done.stdout + done.stderr
    assert float(lines[0].split()[0]) >= 3.0 and lines[1] == "3.0", done.stdout + done.stderr


def test_multiprocessing_with_fork(saxpy):
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_in_child, range(4)) == [float(2 * i) for i in range(4)]


def _in_child(i):
    y = np.zeros(64, np.float32)
    muster.kernel(SAXPY)(2.0, np.full(64, i, np.float32), y)
    return float(y[5])


def test_sessions(saxpy, xy):
    x, y = xy
    with muster.session(backend="reference") as session:
        assert saxpy.device.startswith("reference")
        saxpy(2.0, x, y)
        with muster.session(backend="cpu"):
            assert saxpy.device == "cpu:0"
        assert saxpy.device.startswith("reference")
        assert session.settings["backends"] == ("reference", "the session's policy")
    assert np.array_equal(y, 2 * x + 1)
    assert not saxpy.device.startswith("reference")
    own = session.kernel(SAXPY)
    own(2.0, x, y)
    assert own.device.startswith("reference")
    session.close()
    with pytest.raises(muster.Error):
        own(2.0, x, y)
    with pytest.raises(muster.Error) as raised:
        muster.session(backend_name="cpu")
    assert raised.value.code == "not_found"
    with pytest.raises(muster.Error):
        muster.session(backend="cpu", on_failure="perhaps")
    assert "backend" in muster.options()


def test_fast_sessions():
    with muster.session(backend="cpu", precision="fast"):
        kernel = muster.kernel(SAXPY)
        assert kernel.artifact.json()["precision"] == "fast"


def test_routes(saxpy):
    route = saxpy.route
    assert route.device and route.target is None
    chosen = [each for each in route.candidates if each.reason == "chosen"]
    assert len(chosen) == 1 and chosen[0].id == route.device
    assert "<table>" in route._repr_html_() and str(route).startswith("saxpy executes on")
    assert route.json()["fingerprint"] == saxpy.fingerprint or route.json()
    x = np.ones(64, np.float32)
    assert saxpy.explain(1.0, x, x.copy()).device == route.device


def test_devices():
    found = muster.devices()
    cpu = next(each for each in found if each.id == "cpu:0")
    assert cpu.kind == "cpu" and cpu.max_workgroup_size[0] >= 256 and "f32" in cpu.types and cpu.json()
    assert cpu.supports(muster.kernel(SAXPY)) is None
    assert "cpu:0" in found._repr_html_()
    with pytest.raises(AttributeError):
        cpu.colour
    assert [each.id for each in muster.session(backend="cpu").devices()] == ["cpu:0"]
    assert any(each.id == "cpu" and each.fault is None for each in muster.backends())
    assert muster.is_loaded("cpu") and not muster.is_loaded("none")
    muster.load_backend("cpu")
    for wrong in ("none", "/nowhere/lib.so"):
        with pytest.raises(muster.Error):
            muster.load_backend(wrong)
    assert muster.target("cpu:x86-64-v3").backend == "cpu"
    with pytest.raises(muster.Error) as raised:
        muster.target("none:1")
    assert raised.value.code == "not_found"
    with pytest.raises(TypeError):
        muster.target(3)


def test_code(saxpy, tmp_path):
    artifact = saxpy.emit("cuda:sm_90", tmp_path / "saxpy.cu")
    assert artifact.format == "cuda" and "__global__" in (tmp_path / "saxpy.cu").read_text() and "saxpy" in artifact.content
    assert saxpy.emit("cpu:x86-64-v3", tmp_path / "saxpy.o").files
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(muster.Error, match="says no format"):
        saxpy.emit("cuda", tmp_path / "saxpy.xyz")
    with pytest.raises(muster.Error):
        saxpy.emit("none:1")
    assert saxpy.emit("reference").content.strip().endswith("}")
    content = saxpy.package(["cpu:x86-64-v2"], tmp_path / "saxpy.muster")
    for stored in (muster.load(content), muster.load(tmp_path / "saxpy.muster"), muster.kernel(path=tmp_path / "saxpy.muster")):
        assert stored.fingerprint == saxpy.fingerprint
        y = np.ones(8, np.float32)
        stored(2.0, np.ones(8, np.float32), y)
        assert y[0] == 3
    with pytest.raises(muster.Error):
        muster.load(content[:100])
    assert "saxpy" in saxpy.artifact.name


def test_sequences(saxpy):
    x, y = muster.asarray(np.ones(64, np.float32)), muster.zeros(64)
    steps = muster.sequence().fill(y, 0).add(saxpy, 2.0, x, y).add(saxpy, a=1.0, x=x, y=y, grid=64)
    steps.copy(y[:32], x[32:])
    assert len(steps) == 4
    ticket = steps.submit()
    ticket.wait()
    assert y.numpy().tolist() == [3.0] * 64 and x.numpy()[32:].tolist() == [3.0] * 32
    with pytest.raises(muster.Error, match="takes arrays of muster's"):
        steps.add(saxpy, 2.0, np.ones(64, np.float32), y)
    with pytest.raises(TypeError):
        steps.fill(np.zeros(4), 0)


def test_errors_can_be_pickled(saxpy):
    import pickle

    with pytest.raises(muster.Error) as raised:
        saxpy(1.0)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.code, again.story, again.steps) == (raised.value.code, raised.value.story, raised.value.steps)
    assert issubclass(muster.Error, RuntimeError) and raised.value.steps


def test_timeouts():
    slow = muster.kernel(SLOW).prepare()
    v = muster.zeros(1 << 16, "u32")
    ticket = slow(v, wait=False)
    with pytest.raises(muster.Error) as raised:
        ticket.wait(timeout=0.001)
    assert raised.value.code == "timed_out"
    with pytest.raises(ValueError):
        ticket.wait(-1)
    ticket.wait()
    assert ticket.seconds is None or ticket.seconds > 0


@pytest.mark.parametrize("backend", ["reference", "vulkan", "opencl"])
def test_other_devices(saxpy, backend):
    """What is in place on the CPU is copied there and back elsewhere."""
    if not any(each.backend == backend for each in muster.devices() + [each for each in muster.session(backend="reference").devices()]):
        pytest.skip(f"{backend} has no device here")
    with muster.session(backend=backend):
        whole = np.ones(1 << 15, np.float32)
        x, y = whole.copy(), whole.copy()
        saxpy(2.0, x, y)
        assert saxpy.device.startswith(backend) and (y == 3).all()
        d, e = muster.asarray(x), muster.zeros(1 << 15)
        saxpy(2.0, d, e)
        saxpy(1.0, muster.asarray(whole[:4]), e[1:5])
        expected = [2, 3, 3, 3, 3, 2]
        for seen in (e.numpy(), np.asarray(e), np.from_dlpack(e)):
            assert seen[:6].tolist() == expected
        saxpy(2.0, x[1:101], y[1:101])
        assert y[:3].tolist() == [3, 5, 5] and y[99:103].tolist() == [5, 5, 3, 3]
        ticket = saxpy(1.0, x, y, wait=False)
        ticket.wait()
        assert y[0] == 4


def test_threads_that_wait_for_one_ticket():
    slow = muster.kernel(SLOW)
    v = np.zeros((1 << 12) + 4, np.uint32)[1:-3]  # copied there and back
    expected = v.copy()
    slow(expected)
    ticket = slow(v, wait=False)
    threads = [threading.Thread(target=ticket.wait) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert np.array_equal(v, expected)


def test_memory_in_flight_is_kept():
    import gc

    slow = muster.kernel(SLOW)
    v = np.zeros(1 << 12, np.uint32)
    ticket = slow(v, wait=False)
    with pytest.raises(ValueError):
        v.resize(5)
    del v
    gc.collect()
    ticket.wait()
    slow(np.zeros(1 << 12, np.uint32), wait=False)
    gc.collect()


def test_sessions_that_are_dropped_are_closed(saxpy, xy):
    import gc

    saxpy(1.0, *xy)
    gc.collect()
    before = muster.live_objects()
    for _ in range(5):
        with muster.session(backend="cpu"):
            saxpy(1.0, *xy)
    saxpy(1.0, *xy)
    gc.collect()
    assert muster.live_objects() == before


def test_a_trace_is_recorded(saxpy, tmp_path):
    import json

    path = tmp_path / "saxpy.json"
    with muster.trace(path) as recorded:
        saxpy(2.0, np.ones(64, np.float32), np.ones(64, np.float32))
        with pytest.raises(muster.Error, match="already records"):
            with muster.trace(path):
                pass
    assert recorded.path == str(path) and recorded.left_out == 0
    with muster.trace(os.fsencode(path)) as again:
        saxpy(2.0, np.ones(64, np.float32), np.ones(64, np.float32))
    assert again.path == str(path)
    with pytest.raises(ValueError, match="null character"):
        muster.trace(f"{tmp_path}/x\0y.json")
    events = json.loads(path.read_text())["traceEvents"]
    assert {"submit", "run"} <= {each.get("cat") for each in events}


def use_everything(saxpy, folder):
    """Each kind of object of muster's at least once, errors too."""
    x = np.arange(64, dtype=np.float32)
    with muster.session(backend="cpu") as session:
        kernel = session.kernel(SAXPY)
        d, e = muster.asarray(x), muster.zeros(64)
        kernel(1.0, d, e)
        kernel(2.0, x[1:33].copy(), np.ones(32, np.float32))
        kernel(2.0, np.ones(40, np.float32)[1:], None)
        kernel.bind(1.0, d, e)(wait=False).wait()
        kernel(1.0, muster.from_dlpack(np.from_dlpack(e)), e)
        taken, ticket = e[:32].snapshot()
        ticket.add_done_callback(lambda _: None)
        muster.sequence().fill(e, 0).add(kernel, 1.0, d, e).copy(e[:8], d[8:16]).submit().wait()
        e[4:8] = e[:4]
        e.copy()
        kernel.emit("cuda:sm_90").files
        stored = muster.load(kernel.package(["cpu:x86-64-v2"]))
        stored.codes, stored.route, stored.explain(1.0, d, e), kernel.route.json(), kernel.emission_route
        for wrong in (lambda: kernel(1.0, x.astype(np.float64), e), lambda: kernel(1.0, d, d), lambda: muster.kernel("fn"),
                      lambda: muster.session(backend_name="cpu"), lambda: muster.load(b"none"), lambda: kernel.bind(1.0, x, e),
                      lambda: muster.load_backend("none"), lambda: muster.Model("none.onnx"), lambda: e.fill("x"), lambda: taken[3, 4]):
            with pytest.raises(Exception):
                wrong()
        model = muster.Model(SOURCE + "/examples/models/edges.graph")
        picture = np.ones((1, 3, 8, 8), np.float32)
        model(picture), model.prepare(picture), model.profile(picture), model.inputs, model.outputs
    for device in muster.devices():
        device.json(), device.supports(saxpy)
    muster.target("cuda:sm_90").json(), muster.backends(), muster.candidates(saxpy)


def test_nothing_is_left(saxpy, tmp_path):
    import gc

    counts = []
    for _ in range(3):
        use_everything(saxpy, tmp_path)
        gc.collect()
        muster.zeros(1)  # what other threads gave back goes within a call
        counts.append(muster.live_objects())
    assert counts[1] == counts[2], counts


def test_memory_is_given_back(saxpy):
    """Each array of Python's that was lent, and each object that a call keeps."""
    import gc
    import sys

    x, y, note = np.ones(64, np.float32), np.ones(64, np.float32), lambda ticket: None
    objects = (x, y, note, saxpy, muster.f32)

    def once():
        saxpy(1.0, x, y)
        saxpy(a=1.0, x=x, y=y, wait=False).add_done_callback(note)
        shared = muster.asarray(y, copy=False)
        saxpy(1.0, x, shared)
        muster.from_dlpack(x, copy=False)
        np.asarray(shared), memoryview(shared).release(), np.from_dlpack(shared)
        with pytest.raises(muster.Error):
            saxpy(1.0, x, x)

    def counted():
        for _ in range(100):
            gc.collect()
            muster.zeros(1)
            if [sys.getrefcount(each) for each in objects] == before:
                break
            time.sleep(0.05)
        return [sys.getrefcount(each) for each in objects]

    once()
    before = None
    before = counted()
    for _ in range(20):
        once()
    assert counted() == before
