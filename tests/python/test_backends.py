"""Backends that other distributions bring, by entry points."""

import glob
import os
import re
import shutil
import subprocess
import sys

import pytest

import muster
from conftest import SAXPY, SOURCE

CODE = f"""
import warnings
import numpy as np, muster
saxpy = muster.kernel('''{SAXPY}''')
def call(**policy):
    with muster.session(**policy):
        y = np.ones(4, np.float32)
        saxpy(1.0, y.copy(), y)
        return y[0], saxpy.device
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
"""
DEFAULT = """
    saxpy.prepare()
    call()
print(len(caught), *[repr(str(each.message)) for each in caught], sep="|")
print([(each.id, each.fault) for each in muster.backends() if each.fault and "entry point" in each.fault])
print(call()[0])
"""


def distribution(folder, name, id, body):
    (folder / f"{name}.py").write_text(body)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[muster.backends]\n{id} = {name}:plugins\n")


def run(folder, code=DEFAULT, **environment):
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    done = subprocess.run([sys.executable, "-c", CODE + code], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=path, **environment))
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """plugin(id): a plugin of muster-c/1, which links nothing of muster."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "muster").mkdir()
    shutil.copy(SOURCE + "/driver/c_table/muster_backend.h", folder / "muster")

    def build(id):
        path = folder / f"{id}.so"
        if not path.exists():
            subprocess.run(["cc", "-shared", "-fPIC", f"-I{folder}", f'-DMUSTER_BACKEND_ID="{id}"', "-o", path,
                            SOURCE + "/examples/backend-c/backend.c"], check=True)
        undefined = subprocess.run(["nm", "-D", "--undefined-only", path], capture_output=True, text=True, check=True).stdout
        assert "muster" not in "".join(re.findall(r" U (\S+)", undefined))
        return path

    return build


def returns(path):
    return f"print('called')\ndef plugins():\n    return {str(path)!r}\n"


def test_entry_points(tmp_path):
    called = tmp_path / "called"
    distribution(tmp_path, "works", "works", f"def plugins():\n    with open({str(called)!r}, 'a') as file:\n        file.write('x')\n    return []\n")
    plugin, = glob.glob(os.path.dirname(muster.__file__) + "/lib/libmuster_backend_reference*")
    distribution(tmp_path, "loads", "reference", f"def plugins():\n    return {plugin!r}\n")
    distribution(tmp_path, "broken", "broken", "def plugins():\n    return '/nowhere/plugin.so'\n")
    distribution(tmp_path, "raises", "raises", "def plugins():\n    raise OSError('no driver')\n")
    warned, listed, result = run(tmp_path)
    assert warned.startswith("2|") and "/nowhere/plugin.so" in warned and "OSError: no driver" in warned
    assert 'The entry point "broken" of broken failed' in listed and '"raises"' in listed and result == "2.0"
    assert called.read_text() == "x", "entry points are read once"


def test_they_can_be_turned_off(tmp_path):
    distribution(tmp_path, "raises", "raises", "raise OSError('it was loaded')\n")
    assert run(tmp_path, MUSTER_AUTOLOAD="0")[0] == "0"
    assert run(tmp_path, MUSTER_EXCLUDE="raises")[0] == "0"
    assert run(tmp_path)[0].startswith("1|")


def test_a_plugin_runs_kernels(tmp_path, plugin):
    """The first session of a process has it, also one of a policy of its own."""
    distribution(tmp_path, "muster_npu", "npu", returns(plugin("npu")))
    distribution(tmp_path, "broken", "broken", "raise OSError('no driver')\n")
    code = """
    print(muster.is_loaded("npu"))
    print(*call(backend="npu"), len(caught), muster.is_loaded("npu"))
    print(*call(backend="npu"))
print([each.id for each in muster.devices() if each.backend == "npu"], muster.target("npu").backend)
print([each.fault for each in muster.backends() if each.id in ("npu", "broken")])
"""
    first, called, second, third, devices, listed = run(tmp_path, code)
    assert (first, called, second, third) == ("False", "called", "2.0 npu:0 0 True", "2.0 npu:0")
    assert devices == "['npu:0'] npu"
    assert listed.startswith("[None, 'The entry point \"broken\" of broken failed: OSError: no driver")


def test_a_policy_that_leaves_an_id_out_runs_no_code(tmp_path, plugin):
    distribution(tmp_path, "muster_npu", "npu", returns(plugin("npu")))
    code = """
    muster.set_default_policy(exclude="npu")
    saxpy.prepare()
    muster.set_default_policy()
    call(exclude=["cuda", "npu"])
    call(backend="cpu")
    print("nothing was called")
    print(call(backend="npu,cpu", exclude="cuda")[0])
"""
    assert run(tmp_path, code) == ["nothing was called", "called", "2.0"]


def test_one_id_twice_is_a_fault(tmp_path, plugin):
    for name in ("first", "second"):
        distribution(tmp_path, name, "npu", returns(plugin("npu")))
    code = DEFAULT + """
try:
    muster.load_backend("npu")
except muster.Error as error:
    print(error.code)
print(muster.is_loaded("npu"))
"""
    warned, listed, result, raised, is_loaded = run(tmp_path, code)
    assert warned.startswith("1|") and '2 distributions each name a backend "npu": first and second. Neither is usable.' in warned
    assert "Neither is usable" in listed and "install only one of them" in listed and (result, raised) == ("2.0", "conflict")
    assert is_loaded == "False"


def test_loading_by_hand(tmp_path, plugin):
    """Also where nothing is loaded by itself; what fails leaves nothing behind, and may be tried again."""
    distribution(tmp_path, "muster_npu", "npu", returns(plugin("npu")))
    distribution(tmp_path, "other_name", "other", returns(plugin("third")))
    path = tmp_path / "late.so"
    distribution(tmp_path, "late", "late", f"def plugins():\n    return [{str(plugin('fourth'))!r}, {str(path)!r}]\n")
    code = f"""
    import shutil
    muster.load_backend("npu")
    muster.load_backend("npu")
    print(*call(backend="npu"))
    objects = muster.live_objects()
    for each in ("other", "late", "none", "/nowhere/plugin.so"):
        try:
            muster.load_backend(each)
        except muster.Error as error:
            print(each, error.code, muster.is_loaded(each))
    print(muster.is_loaded("third"), muster.is_loaded("fourth"), muster.live_objects() - objects)
    shutil.copy({str(plugin("late"))!r}, {str(path)!r})
    muster.load_backend("late")
    print(muster.is_loaded("late"), muster.is_loaded("fourth"), *call(backend="late"))
    muster.retire_backend("npu")
    print(muster.is_loaded("npu"))
    muster.load_backend("npu")
    print(muster.is_loaded("npu"))
print(*[str(each.message) for each in caught])
"""
    said = [each for each in run(tmp_path, code, MUSTER_AUTOLOAD="0") if each != "called"]
    assert said == ["2.0 npu:0", "other not_found False", "late not_found False", "none not_found False", "/nowhere/plugin.so not_found False",
                    "False False 0", "True True 2.0 late:0", "False", "True", ""]


def test_a_backend_that_cannot_be_made_is_listed():
    build = os.environ["MUSTER_BUILD"]
    plugin = build + "/plugins/impostor/libmuster_backend_impostor.so"
    if not os.path.exists(plugin):
        pytest.skip("the build has no plugins for tests")
    code = f"""
import muster
muster.load_backend({plugin!r})
print([each.fault for each in muster.backends() if each.id == "impostor"])
print(muster.kernel('''{SAXPY}''').emit("cuda", {os.devnull!r}, "cuda").format)
"""
    # In the build's own package: the plugin is linked to the build's libmuster.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=build + "/lib/python"))
    assert "calls itself" in done.stdout.splitlines()[0] and done.returncode == 0, done.stderr


def test_what_excludes_adds_up():
    code = "import muster; print(muster.session(exclude=['vulkan', 'opencl']).settings['exclude'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ, MUSTER_EXCLUDE="cuda"))
    assert done.stdout == "('vulkan, opencl, cuda', \"the session's policy, MUSTER_EXCLUDE\")\n", done.stderr
