"""The wheel, which the other tests run over: what is in it, and two of them in one process."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys

import pytest

import muster
from conftest import SAXPY, SOURCE

PACKAGE = os.path.dirname(muster.__file__)
SITE = os.path.dirname(PACKAGE)


def test_the_tests_run_over_the_installed_wheel():
    found = importlib.metadata.distribution("muster-compute")
    assert found.version == muster.__version__ and found.locate_file("muster/__init__.py") == found.locate_file(muster.__file__)
    assert {each.name: each.value for each in found.entry_points} == {"muster": "muster._tool:main"}
    assert "cp311-abi3" in found.read_text("WHEEL") and "Requires-Python: >=3.11" in found.read_text("METADATA")


def test_the_tool():
    for tool in ([sys.executable, "-m", "muster"], [SITE + "/bin/muster"]):
        done = subprocess.run([*tool, "--version"], capture_output=True, text=True)
        assert done.returncode == 0 and muster.__version__ in done.stdout, done.stderr


def test_libraries_have_names_of_their_own():
    """What the package needs of itself is in it, and nothing needs the names that every copy of muster has."""
    inside, needed = set(), set()
    for where, _, files in os.walk(PACKAGE):
        for file in files:
            said = subprocess.run(["readelf", "-d", os.path.join(where, file)], capture_output=True, text=True).stdout
            needed |= set(re.findall(r"\(NEEDED\).*\[(libmuster.*)\]", said))
            inside |= set(re.findall(r"\(SONAME\).*\[(libmuster.*)\]", said))
            if where.endswith("/lib") and file.startswith("libmuster"):
                assert f"[{file}]" in said
    assert needed and needed <= inside and not any(".so." in each for each in inside)


TWO = f"""
import os, threading
import numpy as np
import muster, othermuster

copies = (muster, othermuster)
kernels = [each.kernel('''{SAXPY}''') for each in copies]
x, ys = np.arange(100, dtype=np.float32), [np.ones(100, np.float32) for _ in copies]
for kernel, y in zip(kernels, ys):
    kernel(2.0, x, y)
    assert np.array_equal(y, 2 * x + 1)
assert kernels[0].fingerprint == kernels[1].fingerprint and muster.Error is not othermuster.Error

# Each has handles, a policy and a cache of its own.
muster.set_default_policy(backend="reference")
with muster.session(), othermuster.session():
    assert kernels[0].device == "reference:0" and kernels[1].device != "reference:0", (kernels[0].device, kernels[1].device)
before = muster.live_objects()
kept = [othermuster.zeros(4) for _ in range(10)]
assert muster.live_objects() == before

# Arrays go over as those of any other library do.
there = othermuster.asarray(x)
kernels[1](1.0, x, there)
mine = muster.from_dlpack(there)
kernels[0](2.0, mine, ys[0])
kernels[0](2.0, there, ys[0])
assert mine.numpy()[7] == 14.0 and ys[0][7] == 15.0 + 28.0 + 28.0

# Errors, and threads.
for each, kernel in zip(copies, kernels):
    try:
        kernel(1.0, x, x)
        raise SystemExit("no error")
    except each.Error as error:
        assert error.code == "conflict"

def work(each, kernel):
    for i in range(50):
        y = np.zeros(100, np.float32)
        kernel(float(i), x, y)
        if not np.array_equal(y, i * x):
            os._exit(1)

threads = [threading.Thread(target=work, args=both) for both in zip(copies, kernels) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert muster.Model({SOURCE + "/examples/models/edges.graph"!r})(np.ones((1, 3, 32, 32), np.float32)) is not None
assert othermuster.Model({SOURCE + "/examples/models/edges.graph"!r})(np.ones((1, 3, 32, 32), np.float32)) is not None
maps = {{line.split("/")[-1].strip() for line in open("/proc/self/maps") if "/libmuster-" in line}}
print(len(maps))
"""


@pytest.mark.parametrize("first", ["muster", "othermuster"])
def test_two_copies_in_one_process(tmp_path, first):
    """As a wheel of another project has it that contains muster."""
    shutil.copytree(PACKAGE, tmp_path / "othermuster")
    subprocess.run([sys.executable, SOURCE + "/python/own_names", tmp_path / "othermuster", "two"], check=True)
    done = subprocess.run([sys.executable, "-c", f"import {first}\n" + TWO], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path), SITE])))
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
