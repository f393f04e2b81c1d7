"""What muster.h has, the package has: each function of its table is used, and each property can be asked for."""

import asyncio
import glob
import logging
import os
import pickle
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import muster
from conftest import SAXPY, SOURCE

# Functions that Python doesn't need, and why.
NOT_USED = {
    "duplicate": "Python counts references of its own, so that an object needs one handle",
    "run": "a wait that Ctrl-C can end needs a ticket, which this function has none of",
}
PROPERTIES_NOT_USED = {
    "CODE_TARGET": "Kernel.codes are artifacts, which have their target",
    "IS_SHAREABLE": "all arrays are",
    "AXES": "tensors are given by DLPack, with their sizes", "EXTENT": "likewise",
    "INPUTS": "model_end() tells of inputs until there is none",
}


def read(pattern):
    return "\n".join(open(path).read() for path in glob.glob(f"{SOURCE}/{pattern}"))


def header():
    return open(SOURCE + "/c/muster.h").read()


def test_all_functions_of_the_table_are_used():
    table = re.search(r"typedef struct muster_api \{(.*?)\} muster_api;", header(), re.S)[1]
    slots = set(re.findall(r"\(\*(\w+)\)\(", table))
    sources = read("python/extension/*.?pp")
    used = set(re.findall(r"api\(\)\.(\w+)\(|&muster_api::(\w+)", sources))
    used = {name for pair in used for name in pair}
    assert len(slots) > 60 and slots - used == set(NOT_USED)


def test_all_properties_are_used():
    properties = re.findall(r"^    MUSTER_(\w+) = (\d+),? *// *(?:number|text|real|bytes)", header(), re.M)
    used = read("python/extension/*.cpp") + read("python/muster/*.py")
    lacking = {name for name, _ in properties if not re.search(rf"\b(?:n\.|MUSTER_){name}\b", used)}
    assert len(properties) > 100 and lacking - {"VERSION_TEXT"} == set(PROPERTIES_NOT_USED)


def test_bound_kernels(saxpy):
    x, y = muster.asarray(np.arange(64, dtype=np.float32)), muster.zeros(64)
    bound = saxpy.bind(2.0, x, y=y)
    del x
    assert bound() is None and y.numpy().tolist() == [2.0 * i for i in range(64)]
    bound(grid=1)
    bound(workgroups=1, wait=False).wait()
    assert y.numpy().tolist() == [6.0 * i for i in range(64)], "a workgroup has 64 invocations"
    muster.sequence().add(bound).add(bound, grid=(64,)).submit().wait()
    assert y.numpy()[63] == 10 * 63 and repr(bound) == "<muster.Bound saxpy>"
    for wrong, message in ((lambda: saxpy.bind(2.0, np.ones(4, np.float32), y), "takes arrays of muster's"),
                           (lambda: saxpy.bind(2.0, y, None), "makes no new arrays"), (lambda: saxpy.bind(2.0, y, y), "overlaps"),
                           (lambda: saxpy.bind(2.0), "isn't given")):
        with pytest.raises(muster.Error, match=message):
            wrong()
    with pytest.raises(TypeError, match="not both"):
        bound(grid=1, workgroups=1)


def test_arrays_are_placed_beforehand(saxpy):
    x, y = muster.zeros(64), muster.zeros(64)
    assert saxpy.place(1.0, x, y) is None
    with pytest.raises(muster.Error, match="takes arrays of muster's"):
        saxpy.place(1.0, np.zeros(64, np.float32), y)


def test_workgroups_of_an_array(saxpy):
    """A kernel may have written it; a slice counts from its own beginning."""
    counts = muster.asarray(np.uint32([9] * 64 + [2, 1, 1, 9]))
    x, y = muster.asarray(np.ones(200, np.float32)), muster.zeros(200)
    saxpy(2.0, x, y, workgroups=counts[64:67])
    assert y.numpy().sum() == 256
    for early in (lambda: muster.sequence().add(saxpy, 2.0, x, y, workgroups=counts[64:67]),
                  lambda: saxpy.bind(2.0, x, y, workgroups=counts[64:67])()):
        with pytest.raises(muster.Error, match="before anything runs"):
            early()
    for wrong in (counts[:2], muster.zeros(3), muster.zeros(12, "u8")):
        with pytest.raises(ValueError, match="three u32"):
            saxpy(2.0, x, y, workgroups=wrong)


@pytest.mark.parametrize("dtype, value", [("f32", 1.5), ("f16", -2.0), ("f64", 3.25), ("u8", 7), ("i16", -3), ("i64", -1), ("u64", 2**40),
                                          ("bool", True)])
def test_filling(dtype, value):
    array = muster.zeros(12, dtype)
    array.fill(value)
    assert array.tolist() == [value] * 12
    if dtype == "u8":
        array[4:8].fill(1)
        array[8:9].fill(2)
        assert array.tolist() == [7] * 4 + [1] * 4 + [2] + [7] * 3


def test_filling_nothing():
    muster.zeros(0).fill(1)
    with pytest.raises(Exception):
        muster.zeros(4, "u8").fill(256)


def test_snapshots(saxpy):
    x, y = muster.asarray(np.ones(64, np.float32)), muster.zeros(64)
    saxpy(1.0, x, y, wait=False)
    before, ticket = y[:32].snapshot()
    y.fill(9)
    ticket.wait()
    assert before.tolist() == [1.0] * 32 and y.tolist() == [9.0] * 64


def test_calls_at_the_end(saxpy, xy):
    called = threading.Event()
    seen = []

    def end(ticket):
        seen.append((ticket.done, ticket.wait()))
        called.set()

    ticket = saxpy(2.0, *xy, wait=False)
    ticket.add_done_callback(end)
    assert called.wait(20) and seen == [(True, None)]
    ticket.add_done_callback(lambda each: seen.append(each is ticket))  # it has ended
    for _ in range(100):
        if len(seen) == 2:
            break
        threading.Event().wait(0.05)
    assert seen[1] is True
    with pytest.raises(TypeError):
        ticket.add_done_callback(None)


def test_asyncio(saxpy):
    x = np.ones(64, np.float32)

    async def work():
        many = await asyncio.gather(*(each(i) for i in range(20)))
        return sum(many)

    async def each(i):
        y = await saxpy(float(i), x, None, wait=False)
        return y[0]

    assert asyncio.run(work()) == sum(range(20))


def test_ending_with_calls_under_way():
    code = f"""
import numpy as np, muster, time
saxpy = muster.kernel('''{SAXPY}''')
x = muster.zeros(1 << 20)
for i in range(50):
    saxpy(1.0, x, muster.zeros(1 << 20), wait=False).add_done_callback(lambda _: time.sleep(0.01))
print("over")
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


def test_codes_and_pickles(saxpy, xy):
    stored = muster.load(saxpy.package(["cpu:x86-64-v2"]))
    assert [each.target for each in stored.codes] == ["cpu:x86-64-v2"] and saxpy.codes == []
    assert saxpy.is_stored in (False, True) and muster.load(stored.to_bytes()).codes[0].content == stored.codes[0].content
    again = pickle.loads(pickle.dumps(muster.kernel(SAXPY, precision="fast")))
    assert again.fingerprint == saxpy.fingerprint and again.artifact.json()["precision"] == "fast"
    again(2.0, *xy)
    assert again.sanitize(2.0, np.ones(64, np.float32), np.ones(64, np.float32)) == []


def test_what_is_here(saxpy):
    here = muster.installation()
    assert here.version == muster.__version__ and here.build and here.has_models and here.has_check
    assert "MUSTER_BACKEND" in muster.variables() and all(muster.variables().values())
    cuda = next(each for each in muster.backends() if each.id == "cuda")
    assert cuda.default_target.startswith("cuda:") or cuda.default_target
    cpu = next(each for each in muster.backends() if each.id == "cpu")
    assert cpu.probe() == ("answered", None) and [each.id for each in cpu.devices()] == ["cpu:0"] and cpu.json()
    assert all(spec.name and spec.meaning for each in muster.backends() for spec in each.specs)
    device, target = muster.devices()[0], muster.target("cuda:sm_90")
    for each in (device, target):
        assert each.max_uniform_binding_bytes > 0 and each.max_private_bytes > 0 and each.subgroup_most >= each.subgroup_least
        assert set(dir(each)) >= {"id", "features", "max_workgroups"} and each.id in repr(each)
        for name in dir(each):
            getattr(each, name)
    assert target.subgroup_size == 32 and "f16" in target.types
    assert {each.backend for each in saxpy.route.candidates} >= {"cpu", "reference"}
    assert saxpy.emission_route.target
    assert repr(saxpy._program).startswith("<muster program ") and repr(muster._muster.process()) == "<muster process 1>"


def test_the_log():
    code = """
import logging, sys, threading
import muster
said = []
muster.set_log(lambda level, text: said.append((level, text)))
muster.session(exclude="vulcan")
muster.session(exclude="cudda")
print(len(said), said[0][0], "vulcan" in said[0][1], "cudda" in said[1][1])
class Keeps(logging.Handler):
    def emit(self, record):
        print(record.levelname, "opencll" in record.getMessage())
logging.getLogger("m").addHandler(Keeps())
muster.set_log(logging.getLogger("m"))
muster.session(exclude="opencll")
def fails(level, text):
    raise ValueError("in the log")
muster.set_log(fails)
thread = threading.Thread(target=lambda: muster.session(exclude="refference"))
thread.start(); thread.join()
print("goes on", flush=True)
muster.set_log(None)
muster.session(exclude="cpuu")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["2 warning True True", "WARNING True", "goes on"]
    assert "ValueError: in the log" in done.stderr and 'cpuu' in done.stderr and "vulcan" not in done.stderr


def test_check_makes_failures_small():
    assert muster.check("integers/signed_division", backend="cpu", reduction=1.0, progress=lambda *_: True)
