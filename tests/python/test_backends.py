"""Backends that other distributions bring, by entry points."""

import os
import subprocess
import sys

import muster
from conftest import SAXPY

CODE = f"""
import warnings
import numpy as np, muster
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    saxpy = muster.kernel('''{SAXPY}''')
    y = np.ones(4, np.float32)
    saxpy(1.0, y.copy(), y)
    saxpy(1.0, y.copy(), y)
print(len(caught), *[repr(str(each.message)) for each in caught], sep="|")
print([(each.id, each.fault) for each in muster.backends() if each.fault and "entry point" in each.fault])
print(y[0])
"""


def distribution(folder, name, id, body):
    (folder / f"{name}.py").write_text(body)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[muster.backends]\n{id} = {name}:plugins\n")


def run(folder, **environment):
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=path, **environment))
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_entry_points(tmp_path):
    called = tmp_path / "called"
    distribution(tmp_path, "works", "works", f"def plugins():\n    with open({str(called)!r}, 'a') as file:\n        file.write('x')\n    return []\n")
    plugin = os.path.join(os.path.dirname(muster._muster.__file__), "..", "..", "libmuster_backend_reference.so")
    distribution(tmp_path, "loads", "loads", f"def plugins():\n    return {os.path.abspath(plugin)!r}\n")
    distribution(tmp_path, "broken", "broken", "def plugins():\n    return '/nowhere/plugin.so'\n")
    distribution(tmp_path, "raises", "raises", "def plugins():\n    raise OSError('no driver')\n")
    warned, listed, result = run(tmp_path)
    assert warned.startswith("2|") and "/nowhere/plugin.so" in warned and "OSError: no driver" in warned
    assert 'The entry point "broken" of broken failed' in listed and '"raises"' in listed and result == "4.0"
    assert called.read_text() == "x", "entry points are read once"


def test_they_can_be_turned_off(tmp_path):
    distribution(tmp_path, "raises", "raises", "raise OSError('it was loaded')\n")
    assert run(tmp_path, MUSTER_AUTOLOAD="0")[0] == "0"
    assert run(tmp_path, MUSTER_EXCLUDE="raises")[0] == "0"
    assert run(tmp_path)[0].startswith("1|")
