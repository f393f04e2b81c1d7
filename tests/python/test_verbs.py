"""What the tool does for the package."""

import numpy as np
import pytest

import muster
from conftest import SAXPY

RACE = """
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> v: array<u32>;
@compute @workgroup_size(64) fn race(@builtin(global_invocation_id) id: vec3u) {
  v[0] = id.x;
  v[id.x + n] = 1;
}
"""


def test_sanitize(saxpy, xy):
    x, y = (np.resize(each, 128) for each in xy)
    before = y.copy()
    found = saxpy.sanitize(a=2.0, x=x, y=y)
    assert len(found) == 0 and "no findings" in str(found) and np.array_equal(y, before)
    assert saxpy.sanitize(2, muster.asarray(x), y, grid=128, seeds=2) == []
    found = muster.kernel(RACE).sanitize(100, np.zeros(64, np.uint32), workgroups=1)
    assert {each["kind"] for each in found} == {"data_race", "out_of_bounds"} and "race.wgsl" not in str(found)
    assert any(each["where"]["line"] == 5 for each in found), "the user's own lines"
    beyond = saxpy.sanitize(2.0, *xy)  # 100 elements, and workgroups of 64
    assert {each["kind"] for each in beyond} == {"out_of_bounds"}
    assert "<pre>" in found._repr_html_() and "Fix:" in str(found)
    ignored = muster.kernel(RACE).sanitize(100, np.zeros(64, np.uint32), workgroups=1, ignore=["data_race"])
    assert {each["kind"] for each in ignored} == {"out_of_bounds"}
    for wrong in (dict(a=2.0, x=x), dict(a=2.0, x=x.astype(np.float64), y=y), dict(a=2.0, x=x, y=y, z=1), dict(a="2", x=x, y=y)):
        with pytest.raises(muster.Error):
            saxpy.sanitize(**wrong)


def test_sanitize_of_functions():
    from muster import InOut, u32

    @muster.kernel
    def shift(v: InOut[u32]):
        i = muster.global_id.x
        v[i] = v[i + 1]

    assert {each["kind"] for each in shift.sanitize(np.zeros(256, np.uint32))} >= {"data_race"}


def test_bench():
    figures = muster.bench("saxpy", backend="reference", quick=True)
    assert figures and figures._repr_html_()
    with pytest.raises(muster.Error):
        muster.bench("no such kernel", quick=True)


def test_quantize(tmp_path):
    with pytest.raises(muster.Error):
        muster.quantize(tmp_path / "none.onnx", tmp_path / "out.onnx", np.zeros((1, 3), np.float32))
