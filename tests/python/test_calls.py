"""Calls of kernels: arguments, grids, results, errors."""

import array

import numpy as np
import pytest

import muster
from conftest import SAXPY


def test_it_changes_arrays_in_place(saxpy, xy):
    x, y = xy
    expected = 2 * x + y
    assert saxpy(a=2.0, x=x, y=y) is None
    assert np.array_equal(y, expected)
    saxpy(2, x, y)  # in order, with an integer
    assert np.array_equal(y, expected + 2 * x)


def test_arrays_of_muster(saxpy, xy):
    x, y = xy
    d, e = muster.asarray(x), muster.asarray(y)
    saxpy(2.0, d, y=e)
    assert np.array_equal(e.numpy(), 2 * x + y)
    assert np.array_equal(y, np.ones(100, np.float32)), "asarray copies"
    saxpy(2.0, x, e)  # both kinds
    assert np.array_equal(e.numpy(), 4 * x + 1)


def test_wait_false(saxpy, xy):
    x, y = xy
    ticket = saxpy(2.0, x, y, wait=False)
    assert ticket.wait() is None and ticket.done
    assert ticket.wait() is None, "waiting again is harmless"
    assert np.array_equal(y, 2 * x + 1)
    for _ in range(100):
        saxpy(1.0, x, y, wait=False)  # tickets that are dropped
    saxpy(0.0, x, y)
    assert np.array_equal(y, 102 * x + 1)


def test_other_memory(saxpy):
    x, y = array.array("f", range(64)), bytearray(256)
    saxpy(3.0, x, y)
    assert list(memoryview(y).cast("f")) == [3.0 * i for i in range(64)]
    saxpy(1.0, x.tobytes(), y)
    assert list(memoryview(y).cast("f")) == [4.0 * i for i in range(64)]


def test_numbers():
    kernel = muster.kernel("""
        enable f16;
        struct S { v: vec3f, n: u32 }
        @group(0) @binding(0) var<uniform> f: f32;
        @group(0) @binding(1) var<uniform> i: i32;
        @group(0) @binding(2) var<uniform> u: u32;
        @group(0) @binding(3) var<uniform> h: f16;
        @group(0) @binding(4) var<uniform> v: vec3f;
        @group(0) @binding(5) var<uniform> s: S;
        @group(0) @binding(6) var<uniform> m: mat3x3f;
        @group(0) @binding(7) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() {
            out[0] = f; out[1] = f32(i); out[2] = f32(u); out[3] = f32(h); out[4] = v.z; out[5] = s.v.y; out[6] = f32(s.n);
            out[7] = m[2].y;
        }""")
    s = np.zeros(1, [("v", np.float32, 3), ("n", np.uint32)])
    s["v"], s["n"] = (1, 2, 3), 9
    out = np.zeros(8, np.float32)
    m = np.arange(9, dtype=np.float32).reshape(3, 3)
    for number in (float, np.float32, np.float64):
        kernel(number(1.5), np.int64(-7), np.uint32(3), number(0.5), (1, 2, 3), s, m.tolist(), out, workgroups=1)
        assert out.tolist() == [1.5, -7, 3, 0.5, 3, 2, 9, 7]
    kernel(True, True, True, 1, np.float32([1, 2, 3]), s.tobytes(), m.tolist(), out, workgroups=1)
    assert out.tolist() == [1, 1, 1, 1, 3, 2, 9, 7]
    for wrong in (1.5, 2**31, -(2**31) - 1, "1", None, [1, 2]):
        with pytest.raises((muster.Error, OverflowError)):
            kernel(1.0, wrong, 1, 1.0, (1, 2, 3), s, m.tolist(), out, workgroups=1)


def test_grids():
    kernel = muster.kernel("""
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) { out[id.y * 5 + id.x] += 1 + id.x; }""")
    out = np.zeros((7, 5), np.uint32)
    kernel(out)  # 5 along x, 7 along y; beyond there is nothing
    assert out.sum() >= 7 * 15
    flat = np.zeros(35, np.uint32)
    with pytest.raises(muster.Error, match="The grid of main isn't given, and doesn't follow from \"out\""):
        kernel(flat)
    kernel(flat, grid=(5, 7))
    kernel(flat, workgroups=(1, 1, 1))
    with pytest.raises(TypeError, match="not both"):
        kernel(flat, grid=1, workgroups=1)
    for wrong in ((), (1, 2, 3, 4)):
        with pytest.raises(ValueError):
            kernel(flat, grid=wrong)
    with pytest.raises(TypeError):
        kernel(flat, grid="5")
    with pytest.raises(OverflowError):
        kernel(flat, grid=-1)
    kernel(flat, grid=0)


def test_arrays_of_vectors_have_an_axis_for_components():
    kernel = muster.kernel("""
        @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = vec4f(f32(id.x)); }""")
    out = np.zeros((6, 4), np.float32)
    kernel(out)
    assert np.array_equal(out, np.repeat(np.arange(6), 4).reshape(6, 4))


def test_new_arrays_have_an_axis_for_components_too():
    kernel = muster.kernel("""
        @group(0) @binding(0) var<storage, read> v: array<vec4f>;
        @group(0) @binding(1) var<storage, read_write> lengths: array<f32>;
        @group(0) @binding(2) var<storage, read_write> units: array<vec4f>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            lengths[id.x] = length(v[id.x]);
            units[id.x] = normalize(v[id.x]);
        }""")
    lengths, units = kernel(np.full((3, 5, 4), 2, np.float32), None, None)
    assert lengths.shape == (3, 5) and units.shape == (3, 5, 4) and (lengths == 4).all() and (units == 0.5).all()


def test_a_fixed_array_says_nothing_of_the_grid():
    kernel = muster.kernel("""
        @group(0) @binding(0) var<storage, read> words: array<u32>;
        @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 4>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            if id.x < arrayLength(&words) { atomicAdd(&counts[words[id.x] % 4], 1); }
        }""")
    words = np.arange(1000, dtype=np.uint32)
    with pytest.raises(muster.Error, match="array<atomic<u32>, 4>"):
        kernel(words, np.zeros(4, np.uint32))
    assert kernel(words, None, grid=1000).tolist() == [250] * 4


def test_new_arrays_for_none(saxpy, xy):
    x, _ = xy
    y = saxpy(2.0, x, None)
    assert isinstance(y, np.ndarray) and np.array_equal(y, 2 * x)
    z = saxpy(2.0, muster.asarray(x), y=None)
    assert isinstance(z, muster.Array) and np.array_equal(z.numpy(), 2 * x)
    ticket = saxpy(2.0, x, None, wait=False)
    assert np.array_equal(ticket.wait(), 2 * x)
    with pytest.raises(muster.Error, match='"x"'):
        saxpy(2.0, None, x)
    with pytest.raises(muster.Error, match="follows from no other"):
        muster.kernel("@group(0) @binding(0) var<storage, read_write> v: array<f32>;"
                      "@compute @workgroup_size(1) fn main() { v[0] = 1; }")(None)


def test_several_results():
    kernel = muster.kernel("""
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> s: array<f32>;
        @group(0) @binding(2) var<storage, read_write> n: array<i32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            s[id.x] = x[id.x] * x[id.x]; n[id.x] = i32(x[id.x]);
        }""")
    x = np.arange(9, dtype=np.float32).reshape(3, 3)
    s, n = kernel(x, None, None)
    assert np.array_equal(s, x * x) and np.array_equal(n, x) and n.dtype == np.int32 and n.shape == (3, 3)


@pytest.mark.parametrize("arguments, code, message", [
    (dict(a=2.0, x=np.ones(4), y=np.ones(4, np.float32)), "invalid_argument", "array<f32>; the argument is made of f64"),
    (dict(a=2.0, x=np.ones(4, np.int32), y=np.ones(4, np.float32)), "invalid_argument", "made of i32"),
    (dict(a=2.0, x=np.ones(4, np.complex64), y=np.ones(4, np.float32)), "unsupported", 'format "Zf"'),
    (dict(a=2.0, x=np.ones(4, ">f4"), y=np.ones(4, np.float32)), "unsupported", 'format ">f"'),
    (dict(a=2.0, x=np.ones(8, np.float32)[::2], y=np.ones(4, np.float32)), "refused", "isn't contiguous"),
    (dict(a=2.0, x=np.ones((4, 4), np.float32).T, y=np.ones(4, np.float32)), "refused", "isn't contiguous"),
    (dict(a=2.0, x=np.ones(4, np.float32), y=bytes(16)), "refused", "is read-only, and saxpy writes it"),
    (dict(a=2.0, x=np.ones(4, np.float32)), "invalid_argument", '"y".* isn\'t given'),
    (dict(a=2.0, b=1.0, x=np.ones(4, np.float32), y=np.ones(4, np.float32)), "invalid_argument", 'saxpy has no binding "b"'),
    (dict(a=2.0, x=np.ones(4, np.float32), y=1.0), "invalid_argument", "is written by saxpy, but the argument is a value"),
    (dict(a="2", x=np.ones(4, np.float32), y=np.ones(4, np.float32)), "invalid_argument", "the argument is of type str"),
    (dict(a=2.0, x=object(), y=np.ones(4, np.float32)), "invalid_argument", "the argument is of type object"),
    (dict(a=2.0, x=np.array([None]), y=np.ones(4, np.float32)), None, None),
])
def test_what_is_wrong_is_told(saxpy, arguments, code, message):
    with pytest.raises((muster.Error, ValueError), match=message) as raised:
        saxpy(**arguments)
    if code is not None:
        assert raised.value.code == code
        assert raised.value.fix and raised.value.fix in raised.value.story and str(raised.value) == raised.value.story


def test_given_twice_or_too_often(saxpy, xy):
    with pytest.raises(muster.Error, match="given twice"):
        saxpy(2.0, *xy, a=3.0)
    with pytest.raises(muster.Error, match="takes 3 arguments, and 4 are given"):
        saxpy(2.0, *xy, 1)


def test_overlap(saxpy):
    whole = np.ones(200, np.float32)
    with pytest.raises(muster.Error, match='"y" is written by saxpy and overlaps "x" in memory') as raised:
        saxpy(1.0, whole[:104], whole[100:])
    assert raised.value.code == "conflict"
    with pytest.raises(muster.Error, match="overlaps"):
        saxpy(1.0, whole, whole)
    saxpy(1.0, whole[:100], whole[100:])
    assert whole[100:].tolist() == [2.0] * 100
    d = muster.asarray(whole)
    with pytest.raises(muster.Error, match="overlaps"):
        saxpy(1.0, d, d)


def test_arrays_that_are_not_aligned_are_copied(saxpy):
    whole = np.ones(130, np.float32)
    x, y = whole[1:33], whole[66:98]
    saxpy(2.0, x, y)
    assert y.tolist() == [3.0] * 32 and whole.sum() == 130 + 64
    assert {'the array of "x"', 'the array of "y"'} == {each.split(" was")[0] for each in saxpy.route.notes[-2:]}
    assert "was copied for the last call" in str(saxpy.route) and "was copied" in saxpy.route._repr_html_()
    saxpy(2.0, np.ones(4, np.float32), np.ones(4, np.float32))
    assert "was copied" not in str(saxpy.route)
    ticket = saxpy(2.0, x, y, wait=False)
    ticket.wait()
    assert y.tolist() == [5.0] * 32


def test_empty_and_scalar_arrays(saxpy):
    empty = np.zeros(0, np.float32)
    saxpy(1.0, empty, empty)
    saxpy(1.0, muster.zeros(0), muster.zeros(0))
    one, y = np.float32(3), np.zeros((), np.float32)
    saxpy(np.float32(2), one, y)
    assert y == 6


def test_keywords_of_the_caller_stay(saxpy, xy):
    import functools

    keywords = dict(a=2.0, x=xy[0], y=xy[1], grid=100)
    saxpy(**keywords)
    functools.partial(saxpy, **keywords)()
    assert set(keywords) == {"a", "x", "y", "grid"}


def test_a_binding_called_grid():
    kernel = muster.kernel("""
        @group(0) @binding(0) var<storage, read_write> grid: array<f32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { grid[id.x] = 1; }""")
    grid = np.zeros(5, np.float32)
    kernel(grid=grid)
    assert grid.sum() == 5


def test_names_that_are_not_interned(saxpy, xy):
    x, y = xy
    saxpy(**{"".join(["", "a"]): 1.0, "x".encode().decode(): x, "y": y, "".join("gr") + "id": 1})
    assert y[0] == 1 and y.sum() >= 100


def test_errors_of_programs():
    with pytest.raises(muster.Error, match="kernel.wgsl:2") as raised:
        muster.kernel("@compute @workgroup_size(1) fn main() {\n  let a: f32 = 1u; }")
    assert raised.value.code == "invalid_program"
    with pytest.raises(muster.Error, match="not_found|no entry point") as raised:
        muster.kernel(SAXPY, entry="other")
    with pytest.raises(FileNotFoundError):
        muster.kernel(path="no such file.wgsl")
    with pytest.raises(muster.Error, match="is no precision"):
        muster.kernel(SAXPY, precision="precise")


def test_properties(saxpy):
    assert saxpy.name == "saxpy" and saxpy.workgroup_size == (64, 1, 1)
    assert [each.name for each in saxpy.bindings] == ["a", "x", "y"]
    assert [each.is_written for each in saxpy.bindings] == [False, False, True]
    assert len(saxpy.fingerprint) == 64 and "fn saxpy" in saxpy.wgsl
    assert muster.kernel(saxpy.wgsl).fingerprint == saxpy.fingerprint
    assert repr(saxpy) == "<muster.Kernel saxpy(a: f32, x: array<f32>, y: array<f32>)>"
    assert muster.interface(SAXPY)["entries"][0]["name"] == "saxpy"


def test_overrides():
    text = """
        override n: u32 = 1;
        @group(0) @binding(0) var<storage, read_write> v: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { v[id.x] = n; }"""
    v = np.zeros(3, np.uint32)
    muster.kernel(text, overrides={"n": 7})(v)
    assert v.tolist() == [7] * 3
