"""Models, the conformance suite, the tool."""

import subprocess
import sys

import numpy as np
import pytest

import muster
from conftest import SOURCE


def test_a_model():
    model = muster.Model(SOURCE + "/examples/models/edges.graph")
    (given,), outputs = model.inputs, model.outputs
    assert "f32" in given.type and given.dtype == np.float32 and given.name in repr(model)
    shape = [each if isinstance(each, int) else 8 for each in given.shape]
    picture = np.random.default_rng(1).random(shape, np.float32)
    result = model(picture)
    named = model(**{given.name: picture})
    for each in (result, named):
        each = each if isinstance(each, np.ndarray) else each[outputs[0].name]
        assert each.dtype == np.float32 and each.flags.writeable
    assert np.array_equal(result, named) if isinstance(result, np.ndarray) else True
    device = model(muster.asarray(picture))
    assert np.array_equal(device, result) if isinstance(result, np.ndarray) else True
    assert model.route(picture) and model.prepare(picture)
    profile = model.profile(picture)
    assert profile[0]["ms"] >= 0 and "<svg" in profile._repr_html_()
    with open(SOURCE + "/examples/models/edges.graph", "rb") as file:
        again = muster.Model(file.read())
    assert again.inputs == model.inputs


def test_errors_of_models():
    model = muster.Model(SOURCE + "/examples/models/edges.graph")
    for wrong in (dict(), dict(other=1), {model.inputs[0].name: np.zeros(3, np.float64)}):
        with pytest.raises((TypeError, muster.Error)):
            model(**wrong)
    with pytest.raises(TypeError):
        model(1, 2, 3)
    with pytest.raises(muster.Error) as raised:
        muster.Model("no such file.onnx")
    assert raised.value.code in ("not_found", "io_failed")
    with pytest.raises(muster.Error):
        muster.Model(b"nonsense")


def test_check():
    told = []
    report = muster.check("*division*", backend="reference", progress=lambda *each: told.append(each), deviations=False)
    assert report and told and report.json() and report.left_out == 0
    stopped = muster.check("*", backend="reference", progress=lambda *each: False, deviations=False)
    assert stopped.left_out > 0 and not stopped
    with pytest.raises(ZeroDivisionError):
        muster.check("*", backend="reference", progress=lambda *each: 1 / 0, deviations=False)
    with pytest.raises(muster.Error):
        muster.check("no case is called so", backend="reference", deviations=False)


def test_the_tool():
    done = subprocess.run([sys.executable, "-m", "muster", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and muster.__version__ in done.stdout
    assert subprocess.run([sys.executable, "-m", "muster", "no such verb"], capture_output=True).returncode != 0
