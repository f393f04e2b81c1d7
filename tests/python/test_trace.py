"""Kernels in Python: they are the programs that the same WGSL is."""

import re

import numpy as np
import pytest

import muster
from muster import f32, i32, u32, In, InOut, Storage, Uniform, vec3f, vec4f
from conftest import SOURCE


def same(kernel, path, **options):
    """The kernel has the fingerprint of an example."""
    other = muster.kernel(path=f"{SOURCE}/examples/{path}", **options)
    assert kernel.fingerprint == other.fingerprint, f"{kernel.wgsl}\n{other.wgsl}"


def test_saxpy(xy):
    @muster.kernel
    def saxpy(a: f32, x: In[f32], y: InOut[f32]):
        """y = a * x + y"""
        i = muster.global_id.x
        y[i] = a * x[i] + y[i]

    same(saxpy, "saxpy/saxpy.wgsl")
    assert saxpy.name == "saxpy" and saxpy.__doc__ == "y = a * x + y"
    x, y = xy
    saxpy(a=2.0, x=x, y=y)
    assert np.array_equal(y, 2 * x + 1)


def test_histogram():
    @muster.kernel(workgroup_size=256, name="main")
    def histogram(words: In[u32], counts: Storage[muster.array(muster.atomic(u32), 256)]):
        local_counts = muster.workgroup(muster.atomic(u32), 256)
        lane = muster.local_index()
        step = 256 * muster.num_workgroups.x
        with muster.for_range(muster.global_id.x, words.length, step) as i:
            word = words[i]
            with muster.for_range(u32(0), u32(4)) as byte:
                local_counts[muster.extract_bits(word, 8 * byte, 8)].add(1)
        muster.workgroup_barrier()
        count = local_counts[lane].load()
        with muster.if_(count != 0):
            counts[lane].add(count)

    same(histogram, "kernels/histogram.wgsl")
    words = np.random.default_rng(1).integers(0, 2**32, 1000, np.uint32)
    counts = histogram(words, None, grid=512)
    assert np.array_equal(counts, np.bincount(words.view(np.uint8), minlength=256))


def test_matmul():
    tile = 16

    @muster.struct
    class Sizes:
        rows: u32
        columns: u32
        inner: u32

    @muster.kernel(workgroup_size=(tile, tile), name="main")
    def matmul(sizes: Sizes, a: In[f32], b: In[f32], c: InOut[f32]):
        a_tile, b_tile = muster.workgroup(f32, tile * tile), muster.workgroup(f32, tile * tile)
        place = muster.local_id
        row, column = muster.global_id.y, muster.global_id.x
        here = place.y * tile + place.x
        sum = muster.var(0.0)
        with muster.for_range(u32(0), sizes.inner, tile) as first:
            a_tile[here] = 0
            b_tile[here] = 0
            with muster.if_both(row < sizes.rows, lambda: first + place.x < sizes.inner):
                a_tile[here] = a[row * sizes.inner + first + place.x]
            with muster.if_both(column < sizes.columns, lambda: first + place.y < sizes.inner):
                b_tile[here] = b[(first + place.y) * sizes.columns + column]
            muster.workgroup_barrier()
            with muster.for_range(u32(0), u32(tile)) as k:
                sum += a_tile[place.y * tile + k] * b_tile[k * tile + place.x]
            muster.workgroup_barrier()
        with muster.if_both(row < sizes.rows, lambda: column < sizes.columns):
            c[row * sizes.columns + column] = sum

    same(matmul, "kernels/matmul.wgsl")


def test_nbody():
    @muster.struct
    class Body:
        position: vec3f
        mass: f32
        velocity: vec3f

    @muster.struct
    class Settings:
        time_step: f32
        softening: f32

    @muster.function
    def pull(at: vec3f, other: Body, settings: Uniform[Settings]) -> vec3f:
        away = other.position - at
        squared = muster.dot(away, away) + settings.softening * settings.softening
        return away * (other.mass / (squared * muster.sqrt(squared)))

    @muster.kernel(workgroup_size=64, name="main")
    def nbody(settings: Settings, before: In[Body], after: InOut[Body]):
        id = muster.global_id
        with muster.if_(id.x >= before.length):
            muster.return_()
        body = muster.var(before[id.x])
        acceleration = muster.var(vec3f)
        with muster.for_range(before.length) as i:
            with muster.if_(i != id.x):
                acceleration += pull(body.position, before[i], settings)
        body.velocity += acceleration * settings.time_step
        body.position += body.velocity * settings.time_step
        after[id.x] = body

    same(nbody, "kernels/nbody.wgsl")
    kernel = muster.kernel(path=SOURCE + "/examples/kernels/nbody.wgsl")
    layout = np.dtype(dict(names=["position", "mass", "velocity"], formats=["3f4", "f4", "3f4"], offsets=[0, 12, 16], itemsize=32))
    before = np.zeros(20, layout)
    rng = np.random.default_rng(1)
    before["position"], before["mass"], before["velocity"] = rng.random((20, 3)), rng.random(20), rng.random((20, 3))
    results = []
    for each in (kernel, nbody):
        after = np.zeros(20, layout)
        each(np.float32([0.1, 0.01]), before, after)
        results.append(after)
    assert np.array_equal(results[0], results[1]) and results[0]["velocity"].any()


def test_reduce():
    block = 256

    @muster.function
    def value_or_zero(i: u32, values: In[f32]) -> f32:
        with muster.if_(i >= values.length):
            muster.return_(0.0)
        return values[i]

    @muster.kernel(workgroup_size=block, name="main")
    def reduce(values: In[f32], sums: InOut[f32]):
        partial = muster.workgroup(f32, block)
        group, lane = muster.workgroup_id, muster.local_index()
        first = 2 * block * group.x + lane
        partial[lane] = value_or_zero(first, values) + value_or_zero(first + block, values)
        with muster.for_(u32(block // 2), lambda stride: stride > 0, lambda stride: stride // 2) as stride:
            muster.workgroup_barrier()
            with muster.if_(lane < stride):
                partial[lane] += partial[lane + stride]
        with muster.if_(lane == 0):
            sums[group.x] = partial[0]

    same(reduce, "kernels/reduce.wgsl")
    values = np.arange(1999, dtype=np.float32)
    sums = np.zeros(4, np.float32)
    reduce(values, sums, workgroups=4)
    assert sums.sum() == values.sum()


def test_functions():
    @muster.function
    def add(i: u32, n: u32, to: InOut[u32]) -> u32:
        to[i] += n
        return to[i]

    @muster.function
    def clear(to: InOut[u32], i: u32):
        to[i] = 0

    @muster.function
    def twice(x: u32) -> u32:
        return 2 * x

    @muster.function
    def twice_more(x: u32, twice_of: u32 = 3) -> u32:
        with muster.if_(x > 1000):
            muster.return_(7)
        return twice(x) + twice(twice_of)

    @muster.kernel(workgroup_size=1)
    def calls(a: InOut[u32], b: InOut[u32]):
        i = muster.global_id.x
        add(i, 1, a)  # its result isn't used
        add(i=i, n=2, to=b)
        b[i] = b[i] * 10 + add(i, 4, a)
        x = twice_more(a[i])
        clear(a, i)
        a[i] += x

    a, b = np.uint32([1, 2]), np.uint32([0, 1])
    calls(a, b)
    assert a.tolist() == [2 * 6 + 6, 2 * 7 + 6] and b.tolist() == [26, 37]
    assert calls.wgsl.count("switch") < 3

    @muster.function
    def itself(x: u32) -> u32:
        return itself(x)

    @muster.function
    def place(x: u32) -> u32:
        return x + muster.global_id.x

    @muster.function
    def nothing_said(x) -> u32:
        return x

    for wrong, message in ((lambda v: itself(v[0]), "calls itself"), (lambda v: place(v[0]), "place in the grid"),
                           (lambda v: nothing_said(v[0]), "has no annotation"), (lambda v: clear(v[0], 0), "is memory"),
                           (lambda v: muster.return_(v[0]), "A kernel returns a value")):
        def body(v: InOut[u32]):
            wrong(v)

        with pytest.raises(muster.Error, match=message):
            muster.kernel(body)

    @muster.function
    def mistaken(x: u32) -> f32:
        return x + x

    with pytest.raises(muster.Error, match=r"is written by .*test_trace.py:\d+"):
        @muster.kernel
        def wrong_type(v: InOut[f32], n: In[u32]):
            v[0] = mistaken(n[0])


def test_reduce_unrolled():
    block = 256

    @muster.kernel(workgroup_size=block, name="main")
    def reduce(values: In[f32], sums: InOut[f32]):
        partial = muster.workgroup(f32, block)
        group, lane = muster.workgroup_id.x, muster.local_index()

        first = 2 * block * group + lane
        partial[lane] = values[first] + values[first + block]
        stride = block // 2
        while stride > 0:  # of Python's: unrolled
            muster.workgroup_barrier()
            with muster.if_(lane < stride):
                partial[lane] = partial[lane] + partial[lane + stride]
            stride //= 2
        with muster.if_(lane == 0):
            sums[group] = partial[0]

    values = np.arange(2000, dtype=np.float32)
    sums = np.zeros(4, np.float32)
    reduce(values, sums, workgroups=4)
    assert sums.sum() == values.sum()


def test_scan():
    @muster.kernel(workgroup_size=256, name="main")
    def scan(values: InOut[i32], totals: InOut[i32]):
        sums = muster.workgroup(i32, 256)
        lane = muster.local_index()
        inside = muster.global_id.x < values.length
        with muster.if_(inside):
            sums[lane] = values[muster.global_id.x]
        muster.workgroup_barrier()
        with muster.for_(u32(1), lambda k: k < 256, lambda k: k << 1) as distance:
            left = muster.var(0)
            with muster.if_(lane >= distance):
                left.value = sums[lane - distance]
            muster.workgroup_barrier()
            sums[lane] += left
            muster.workgroup_barrier()
        with muster.if_(inside):
            values[muster.global_id.x] = sums[lane]
        with muster.if_(lane == 255):
            totals[muster.workgroup_id.x] = sums[lane]

    same(scan, "kernels/scan.wgsl")
    values = np.arange(300, dtype=np.int32)
    totals = np.zeros(2, np.int32)
    scan(values, totals, grid=300)
    assert np.array_equal(values[:256], np.cumsum(np.arange(256))) and totals[0] == values[255]


def test_names_keep_values():
    """A name is what was read at its line, whatever is written later."""
    @muster.kernel(workgroup_size=1)
    def swap(v: InOut[f32]):
        a, b = v[0], v[1]
        v[0] = b
        v[1] = a
        c = v[2] * 2.0
        v[2] = 0.0
        v[3] = c + c
        i = muster.global_id.x
        with muster.if_(i == 0):
            v[4] = v[4] + f32(i)
        v[5] = f32(i) + 7.0

    v = np.float32([1, 2, 3, 4, 5, 6])
    swap(v, grid=1)
    assert v.tolist() == [2, 1, 0, 12, 5, 7]
    assert swap.wgsl.count("v[0]") <= 2


def test_control_flow():
    @muster.kernel(workgroup_size=1)
    def steps(n: i32, out: InOut[i32]):
        total = muster.var(0)
        with muster.for_range(n) as k:
            with muster.if_(k % 2 == 0):
                muster.continue_()
            with muster.if_(k > 10):
                muster.break_()
            total += k
        out[0] = total
        with muster.for_range(1, n, 3) as k:
            total.value = k
        out[1] = total
        x = muster.var(5, i32)
        with muster.while_(lambda: x > 0):
            x -= 2
        out[2] = x
        with muster.if_(n > 100):
            out[3] = 1
        with muster.else_if_(n > 10):
            out[3] = 2
        with muster.else_():
            out[3] = 3
        with muster.loop():
            x += 1
            with muster.if_((x > 3) & ~(x == 4) | (x > 50)):
                muster.break_()
        out[4] = x
        out[5] = muster.select(1, 2, -x < 0) + abs(-7 + x) - i32(2.9) + muster.max(x, 3)

    out = np.zeros(6, np.int32)
    steps(20, out, grid=1)
    assert out.tolist() == [1 + 3 + 5 + 7 + 9, 19, -1, 2, 5, 2 + 2 - 2 + 5]


def test_vectors():
    @muster.kernel(workgroup_size=1)
    def vectors(m: Uniform[muster.mat3x3f], v: InOut[vec4f], s: Storage[muster.array(f32, 3)]):
        a = vec4f(vec3f(1, 2, 3), 4.0)
        v[0] = a.wzyx * 2.0
        v[1] = vec4f(m @ a.xyz, muster.dot(a, a))
        s[0] = muster.length(vec3f(2, 3, 6))
        s[1] = a[2]

    v, s = np.zeros((2, 4), np.float32), np.zeros(3, np.float32)
    vectors(np.eye(3).tolist(), v, s)
    assert v.tolist() == [[8, 6, 4, 2], [1, 2, 3, 30]] and s.tolist() == [7, 3, 0]


def test_errors_name_the_line():
    with pytest.raises(muster.Error, match=r"test_trace.py:\d+") as raised:
        @muster.kernel
        def wrong(x: InOut[f32]):
            if x[0] > 1.0:
                x[0] = 1.0
    assert "muster.if_" in raised.value.fix
    with pytest.raises(muster.Error, match=r"is written by .*test_trace.py:\d+") as raised:
        @muster.kernel
        def mixed(x: InOut[f32], n: In[u32]):
            i = muster.global_id.x
            x[i] = x[i] + n[i]
    assert raised.value.code == "invalid_program"
    with pytest.raises(muster.Error, match="has no annotation"):
        muster.kernel(lambda x: None, name="f")
    with pytest.raises(muster.Error, match="within a function"):
        with muster.if_(True):
            pass
    with pytest.raises(muster.Error, match="directly behind"):
        @muster.kernel
        def no_if(x: InOut[f32]):
            with muster.else_():
                x[0] = 1.0
    with pytest.raises(AttributeError):
        muster.no_such_function
    assert "sqrt" in dir(muster) and muster.sqrt.__doc__


def test_plain_values_are_unrolled():
    @muster.kernel
    def sums(x: InOut[f32]):
        i = muster.global_id.x
        total = x[i]
        for k in range(3):
            if k != 1:
                total = total + float(k)
        x[i] = total

    x = np.ones(5, np.float32)
    sums(x)
    assert x.tolist() == [3.0] * 5


def test_names_that_are_taken():
    @muster.kernel(workgroup_size=1)
    def t2(t1: In[f32], v3: InOut[f32], m4: InOut[f32]):
        i = muster.global_id.x
        a = t1[i] + 1.0
        b = muster.var(a)
        b += a
        shared = muster.workgroup(f32, 4)
        shared[0] = b
        v3[i] = shared[0]
        m4[i] = a * a

    x, y, z = np.ones(2, np.float32), np.zeros(2, np.float32), np.zeros(2, np.float32)
    t2(x, y, z)
    assert y.tolist() == [4, 4] and z.tolist() == [4, 4]


def test_augmented_stores_and_nested_kernels():
    @muster.kernel(workgroup_size=1)
    def sums(v: InOut[f32]):
        i = muster.global_id.x
        v[i] += 2.0
        v[i] *= v[i]
        with pytest.raises(muster.Error, match="within another"):
            muster.kernel(lambda: None, name="inner")

    v = np.float32([1, 2])
    sums(v)
    assert v.tolist() == [9, 16]


def test_threads_trace_their_own():
    import threading

    made = []

    def work(n):
        @muster.kernel(workgroup_size=1)
        def fill(v: InOut[f32]):
            for _ in range(50):
                v[muster.global_id.x] = float(n)

        made.append((n, fill))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for n, fill in made:
        assert fill(np.zeros(3, np.float32)) is None and f"{n}.0" in fill.wgsl


def test_functions_are_those_of_the_definition_file():
    """Kernels in Python lack these functions so far; all others have the results that functions.def tells."""
    lacking = """dot4_i8_packed dot4_u8_packed frexp modf pack2x16snorm pack2x16unorm pack4x_i8 pack4x_i8_clamp pack4x_u8 pack4x_u8_clamp
        quad_broadcast quad_swap_diagonal quad_swap_x quad_swap_y subgroup_add subgroup_all subgroup_and subgroup_any subgroup_ballot
        subgroup_broadcast subgroup_broadcast_first subgroup_elect subgroup_exclusive_add subgroup_exclusive_mul subgroup_inclusive_add
        subgroup_inclusive_mul subgroup_max subgroup_min subgroup_mul subgroup_or subgroup_shuffle subgroup_shuffle_down
        subgroup_shuffle_up subgroup_shuffle_xor subgroup_xor unpack2x16snorm unpack2x16unorm unpack4x_i8 unpack4x_u8""".split()
    with open(SOURCE + "/foundation/build/functions.def") as file:
        text = file.read()
    theirs = {}
    for row in re.finditer(r'^MUSTER_(?:FIXED\("(\w+)", \w+, \w+|\w+\("(\w+)", [\w, ]*\([^)]*\)), ([\w:]+)', text, re.M):
        theirs.setdefault(re.sub("([A-Z])", r"_\1", row[1] or row[2]).lower(), row[3])
    from muster._trace_functions import _results

    ours = {name: kind for kind, names in _results.items() for name in names.split()}
    assert len(theirs) > 100
    assert set(theirs) - set(ours) == {*lacking, "select"}  # select is written by hand
    assert set(ours) <= set(theirs)
    assert {name: kind for name, kind in ours.items() if theirs.get(name, kind) != kind} == {}


def test_uniform_loads():
    @muster.kernel(workgroup_size=64)
    def last(values: InOut[u32], most: Storage[muster.atomic(u32)]):
        shared = muster.workgroup(u32)
        with muster.if_(muster.local_index() == 63):
            shared.value = values[muster.global_id.x]
        here = muster.workgroup_uniform_load(shared)
        most.max(here)
        muster.grid_barrier()
        values[muster.global_id.x] = muster.grid_uniform_load(most) + here

    values = np.arange(128, dtype=np.uint32)
    last(values, np.zeros(1, np.uint32))
    assert values[:64].tolist() == [63 + 127] * 64 and values[64:].tolist() == [2 * 127] * 64


def test_memory_as_a_whole():
    @muster.struct
    class Named:
        value: f32
        other: f32

    @muster.kernel(workgroup_size=1)
    def whole(a: Storage[f32], v: Storage[vec4f], s: Storage[Named]):
        a.value = a.value + 1.0
        v.value = v.value * a.value
        s.value = 7.0

    a, v, s = np.float32([1]), np.arange(4, dtype=np.float32), np.zeros(2, np.float32)
    whole(a, v, s.view(np.dtype([("value", "f4"), ("other", "f4")])), grid=1)
    assert a[0] == 2 and v.tolist() == [0, 2, 4, 6] and s.tolist() == [7, 0]


def test_results_of_matrices():
    types = []

    @muster.kernel
    def turned(m: Uniform[muster.mat2x3f], s: Uniform[muster.mat2x2f], out: InOut[f32]):
        turned = muster.transpose(m)
        types.extend((turned._read().type.text, turned[0]._read().type.text, muster.determinant(s)._read().type.text))
        out[0] = turned[2].y + muster.determinant(s)

    assert types == ["mat3x2<f32>", "vec2<f32>", "f32"]
