"""The wheel, which the other tests run over: what is in it, and two of them in one process."""

import glob
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys

import pytest

import muster
from conftest import SAXPY, SOURCE

try:
    LLVM = importlib.metadata.distribution("muster-compute-llvm")
except importlib.metadata.PackageNotFoundError:
    LLVM = None
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
    """What the package needs is in it or on every Linux, and nothing needs the names that every copy of muster has."""
    inside, needed = set(), set()
    for where, _, files in os.walk(PACKAGE):
        for file in files:
            said = subprocess.run(["readelf", "-d", os.path.join(where, file)], capture_output=True, text=True).stdout
            needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
            inside |= set(re.findall(r"\(SONAME\).*\[(.*)\]", said))
            if where.endswith("/lib"):
                assert f"[{file}]" in said
    foreign = {each for each in needed - inside if not re.fullmatch(r"lib(c|m|gcc_s|stdc\+\+|z)\.so\.\d+|ld-linux-.*", each)}
    assert any(each.startswith("libmuster-") for each in needed) and not any(".so." in each for each in inside)
    assert not foreign or LLVM is None and all(each.startswith("libLLVM") for each in foreign)


@pytest.mark.skipif(LLVM is None, reason="the build has no wheel with LLVM")
def test_llvm_is_a_distribution_of_its_own(tmp_path):
    """The package without it runs stored code, and says what is missing; LLVM in it is hidden."""
    assert LLVM.requires == [f"muster-compute=={muster.__version__}"] and "manylinux_" in LLVM.read_text("WHEEL")
    pinned = re.compile(f"muster-compute-llvm=={re.escape(muster.__version__)} *; extra == 'llvm'")
    assert any(map(pinned.fullmatch, importlib.metadata.distribution("muster-compute").requires))
    compiler, = [each.locate() for each in LLVM.files if each.name == "libmuster_backend_cpu_compiler.so"]
    exported = subprocess.run(["nm", "-D", "--defined-only", compiler], capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r" [A-Z] (\w+)", exported)) == {"muster_cpu_compiler", "muster_cpu_compile_for_another"}
    needed = subprocess.run(["readelf", "-d", compiler], capture_output=True, text=True, check=True).stdout
    assert "libz3" not in needed and "libLLVM" not in needed

    content = tmp_path / "saxpy.muster"
    muster.kernel(SAXPY).package(["cpu:x86-64-v2"], content)
    shutil.copytree(PACKAGE, tmp_path / "without" / "muster", ignore=shutil.ignore_patterns(os.path.basename(compiler)))
    code = f"""
import numpy as np, muster
x, y = np.ones(8, np.float32), np.ones(8, np.float32)
with muster.session(backend="cpu"):
    stored = muster.load({str(content)!r})
    stored(2.0, x, y)
    print(y[0], stored.device, stored.is_stored)
    try:
        muster.kernel('''{SAXPY}''').prepare()
    except muster.Error as error:
        print(error.code, "compiler" in error.story)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path / "without"), SITE]), MUSTER_CACHE_DIR=""))
    assert done.stdout == "3.0 cpu:0 True\nrefused True\n", done.stdout + done.stderr


def test_beside_another_llvm():
    """As other packages bring it: in the same process, with its names visible to libraries that are opened later."""
    other = next(iter(glob.glob("/usr/lib/llvm-*/lib/libLLVM*.so*")), None)
    if other is None:
        pytest.skip("there is no other LLVM")
    code = f"""
import ctypes
ctypes.CDLL({other!r}, ctypes.RTLD_GLOBAL)
import numpy as np, muster
x, y = np.ones(8, np.float32), np.ones(8, np.float32)
with muster.session(backend="cpu"):
    muster.kernel('''{SAXPY}''')(2.0, x, y)
print(y[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ, MUSTER_CACHE_DIR=""))
    assert (done.returncode, done.stdout) == (0, "3.0\n"), done.stderr


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
    subprocess.run([sys.executable, SOURCE + "/python/own_libraries", tmp_path / "othermuster", "lib", "two"], check=True)
    done = subprocess.run([sys.executable, "-c", f"import {first}\n" + TWO], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path), SITE])))
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


BARE = f"""
import os
import numpy as np, muster
assert not os.path.exists("/usr/bin/ld") and not os.path.exists("/etc")
x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
with muster.session(backend="cpu"):
    saxpy = muster.kernel('''{SAXPY}''')
    saxpy(2.0, x, y)
    assert np.array_equal(y, 2 * x + 1) and saxpy.sanitize(2.0, x[:64], y[:64]) == []
print(saxpy.emit("vulkan").format, muster.installation().has_onnx, sorted(each.id for each in muster.backends() if each.fault is None))
"""


@pytest.mark.skipif(LLVM is None, reason="the build has no wheel with LLVM")
@pytest.mark.skipif(os.geteuid() != 0, reason="chroot needs root")
def test_on_a_machine_that_has_nothing_else(tmp_path):
    """No compilers, no libraries but glibc, libstdc++ and zlib: a root with Python, NumPy and the installed wheels alone."""
    import numpy
    import sysconfig

    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody mount anything, not even for itself")
    python, root = os.path.realpath(sys.executable), tmp_path / "root"
    library = sysconfig.get_path("stdlib")
    numpy_at = os.path.dirname(os.path.dirname(numpy.__file__))
    needed = set()
    for each in [python, *glob.glob(library + "/lib-dynload/*.so"), *glob.glob(numpy_at + "/numpy*/**/*.so*", recursive=True)]:
        needed |= set(re.findall(r"(?:=> )?(/\S+) \(0x", subprocess.run(["ldd", each], capture_output=True, text=True).stdout))
    for each in needed:
        if not os.path.normpath(each).startswith((PACKAGE, numpy_at)):
            target = root / os.path.normpath(each).lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(each, target)
    for each in ("proc", "dev", "tmp"):
        (root / each).mkdir()
    mounts = []
    for each in ("/proc", "/dev", python, library, numpy_at, SITE):
        target = root / each.lstrip("/")
        (target.parent if os.path.isfile(each) else target).mkdir(parents=True, exist_ok=True)
        if os.path.isfile(each):
            target.touch()
        mounts.append(f"mount --bind {each} {target}")
    done = subprocess.run(["unshare", "--mount", "bash", "-c", " && ".join([*mounts, f'exec chroot {root} {python} -c "$0"']), BARE],
                          capture_output=True, text=True, env=dict(PATH=os.environ["PATH"], MUSTER_CACHE_DIR="", PYTHONDONTWRITEBYTECODE="1",
                                                                    PYTHONPATH=os.pathsep.join([SITE, numpy_at])))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "spirv True ['cpu', 'cuda', 'opencl', 'reference', 'vulkan']\n", done.stdout


EVERY_VERSION = f"""
import array, asyncio, muster
saxpy = muster.kernel('''{SAXPY}''')
x, y = array.array("f", range(64)), array.array("f", [1] * 64)
saxpy(2.0, x, y)

@muster.kernel
def first(a: muster.f32, v: muster.InOut[muster.f32]):
    i = muster.global_id.x
    with muster.if_(i < 5):
        v[i] = a

async def work():
    await saxpy(1.0, x, y, wait=False)

first(3.0, y)
asyncio.run(work())
try:
    saxpy(1.0, x, x)
except muster.Error as error:
    print(y[4], y[5], error.code)
"""


def test_later_versions_of_python():
    """Those that are installed beside this one take the same files, also without NumPy."""
    beside = glob.glob(os.path.join(os.path.dirname(sys.base_prefix), "*", "bin", "python3.[0-9]*[0-9]"))
    found = {os.path.basename(each): each for each in [*(shutil.which(f"python3.{minor}") or "" for minor in range(12, 20)), *beside]}
    later = [each for name, each in sorted(found.items()) if re.fullmatch(r"python3\.(1[2-9])", name)
             and subprocess.run([each, "-c", ""], capture_output=True).returncode == 0]
    if not later:
        pytest.skip("there is no later version of Python")
    for python in later:
        done = subprocess.run([python, "-c", EVERY_VERSION], capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=SITE))
        assert done.stdout == "7.0 16.0 conflict\n", python + done.stderr
