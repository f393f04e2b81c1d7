"""The examples' kernels, as one writes them in Python: they are the same programs."""

import numpy as np

import muster
from muster import f32, i32, u32, In, InOut, Uniform, Workgroup, vec2f, vec2u, vec3f, vec4f
from test_trace import same


def test_life():
    width, height = 64, 64

    @muster.function
    def cell(x: i32, y: i32, before: In[u32]) -> u32:
        column = (x + width) % width
        row = (y + height) % height
        return before[row * width + column]

    @muster.kernel(workgroup_size=(8, 8), name="main")
    def life(before: In[u32], after: InOut[u32]):
        id = muster.global_id
        x, y = i32(id.x), i32(id.y)
        with muster.if_either(x >= width, lambda: y >= height):
            muster.return_()
        neighbours = muster.var(u32(0))
        with muster.for_(-1, lambda k: k <= 1, lambda k: k + 1) as dy:
            with muster.for_(-1, lambda k: k <= 1, lambda k: k + 1) as dx:
                with muster.if_either(dx != 0, lambda: dy != 0):
                    neighbours += cell(x + dx, y + dy, before)
        alive = muster.var(u32(0))
        with muster.switch_(neighbours):
            with muster.case_(3):
                alive.value = 1
            with muster.case_(2):
                alive.value = cell(x, y, before)
            with muster.default_():
                pass
        after[y * width + x] = alive

    same(life, "kernels/life.wgsl")


def test_mandelbrot():
    width, height, limit = 512, 512, 256

    @muster.function
    def squared(z: vec2f) -> vec2f:
        return vec2f(z.x * z.x - z.y * z.y, 2 * z.x * z.y)

    @muster.function
    def escape_steps(c: vec2f) -> u32:
        z = muster.var(vec2f())
        with muster.for_range(u32(limit)) as i:
            with muster.if_(muster.dot(z, z) > 4):
                muster.return_(i)
            z.value = squared(z) + c
        return u32(limit)

    @muster.kernel(workgroup_size=(16, 16), name="main")
    def mandelbrot(steps: InOut[u32]):
        id = muster.global_id
        with muster.if_either(id.x >= width, lambda: id.y >= height):
            muster.return_()
        place = (vec2f(id.xy) + 0.5) / vec2f(width, height)
        steps[id.y * width + id.x] = escape_steps(muster.mix(vec2f(-2.0, -1.25), vec2f(0.5, 1.25), place))

    same(mandelbrot, "kernels/mandelbrot.wgsl")


def test_matmul_tiled():
    side, depth = 64, 32

    @muster.struct
    class Sizes:
        rows: u32
        columns: u32
        inner: u32

    Tile = Workgroup[muster.array(f32, side * depth)]

    @muster.function
    def load_tiles(lane: u32, first_row: u32, first_column: u32, first: u32, sizes: Uniform[Sizes], a: In[f32], b: In[f32], a_tile: Tile,
                   b_tile: Tile):
        with muster.for_range(lane, side * depth, 256) as i:
            row = first_row + i // depth
            inner = first + i % depth
            a_tile[i] = 0
            with muster.if_both(row < sizes.rows, lambda: inner < sizes.inner):
                a_tile[i] = a[row * sizes.inner + inner]
        with muster.for_range(lane, depth * side, 256) as i:
            inner = first + i // side
            column = first_column + i % side
            b_tile[i] = 0
            with muster.if_both(inner < sizes.inner, lambda: column < sizes.columns):
                b_tile[i] = b[inner * sizes.columns + column]

    @muster.function
    def store_row(row: u32, column: u32, sums: vec4f, sizes: Uniform[Sizes], c: InOut[f32]):
        with muster.if_(row >= sizes.rows):
            muster.return_()
        start = row * sizes.columns
        with muster.if_(column < sizes.columns):
            c[start + column] = sums.x
        for k in range(1, 4):
            with muster.if_(column + 16 * k < sizes.columns):
                c[start + column + 16 * k] = getattr(sums, "xyzw"[k])

    @muster.kernel(workgroup_size=(16, 16), name="main")
    def matmul(sizes: Sizes, a: In[f32], b: In[f32], c: InOut[f32]):
        a_tile, b_tile = muster.workgroup(f32, side * depth), muster.workgroup(f32, depth * side)
        group, place, lane = muster.workgroup_id, muster.local_id, muster.local_index()
        first_row = group.y * side
        first_column = group.x * side
        top = place.y * 4 * depth
        sums = [muster.var(vec4f) for _ in range(4)]
        with muster.for_range(u32(0), sizes.inner, depth) as first:
            load_tiles(lane, first_row, first_column, first, sizes, a, b, a_tile, b_tile)
            muster.workgroup_barrier()
            with muster.for_range(u32(depth)) as k:
                at = k * side + place.x
                row = vec4f(b_tile[at], b_tile[at + 16], b_tile[at + 32], b_tile[at + 48])
                for i, sum in enumerate(sums):
                    sum += a_tile[top + i * depth + k if i else top + k] * row
            muster.workgroup_barrier()
        row = first_row + place.y * 4
        column = first_column + place.x
        for i, sum in enumerate(sums):
            store_row(row + i if i else row, column, sum, sizes, c)

    same(matmul, "kernels/matmul_tiled.wgsl")


def test_jacobi():
    @muster.struct
    class Problem:
        width: u32
        height: u32
        sweeps: u32

    @muster.kernel(workgroup_size=(32, 8))
    def jacobi(problem: Problem, even: InOut[f32], odd: InOut[f32]):
        id = muster.global_id
        width = problem.width
        with muster.if_either(id.x == 0, lambda: id.y == 0, lambda: id.x + 1 >= width, lambda: id.y + 1 >= problem.height):
            muster.return_()
        at = id.y * width + id.x
        with muster.for_range(u32(0), problem.sweeps) as sweep:
            with muster.if_(sweep % 2 == 0):
                odd[at] = 0.25 * (even[at - 1] + even[at + 1] + even[at - width] + even[at + width])
            with muster.else_():
                even[at] = 0.25 * (odd[at - 1] + odd[at + 1] + odd[at - width] + odd[at + width])
            muster.grid_barrier()

    same(jacobi, "jacobi/jacobi.wgsl")


def test_photo():
    reach, noise, contrast, vignette = 2, 0.08, 0.35, 0.5

    @muster.function
    def pixel(x: i32, y: i32, source: In[vec4f], size: Uniform[vec2u]) -> vec3f:
        column = u32(muster.clamp(x, 0, i32(size.x) - 1))
        row = u32(muster.clamp(y, 0, i32(size.y) - 1))
        return source[row * size.x + column].rgb

    @muster.function
    def brightness(colour: vec3f) -> f32:
        return muster.dot(colour, vec3f(0.2126, 0.7152, 0.0722))

    @muster.function
    def smoothed(x: i32, y: i32, source: In[vec4f], size: Uniform[vec2u]) -> vec3f:
        centre = pixel(x, y, source, size)
        level = brightness(centre)
        sum, weights = muster.var(vec3f()), muster.var(0.0)
        with muster.for_(-1, lambda k: k <= 1, lambda k: k + 1) as dy:
            with muster.for_(-1, lambda k: k <= 1, lambda k: k + 1) as dx:
                colour = pixel(x + dx * reach, y + dy * reach, source, size)
                difference = (brightness(colour) - level) / noise
                weight = 1.0 / (1.0 + difference * difference)
                sum += weight * colour
                weights += weight
        return sum / weights

    @muster.kernel(workgroup_size=(16, 16))
    def photo(source: In[vec4f], result: InOut[vec4f], size: Uniform[vec2u]):
        id = muster.global_id
        with muster.if_either(id.x >= size.x, lambda: id.y >= size.y):
            muster.return_()
        colour = muster.var(muster.clamp(smoothed(i32(id.x), i32(id.y), source, size) * vec3f(1.04, 1.0, 0.94), vec3f(0.0), vec3f(1.0)))
        colour.value = muster.mix(colour, colour * colour * (3.0 - 2.0 * colour), contrast)
        from_centre = (vec2f(id.xy) + 0.5) / vec2f(size) - 0.5
        colour *= 1.0 - vignette * muster.dot(from_centre, from_centre)
        i = id.y * size.x + id.x
        result[i] = vec4f(colour, source[i].a)

    same(photo, "photo/photo.wgsl")


def test_stencil():
    width, height = 512, 384

    @muster.kernel(workgroup_size=(64, 4), name="main")
    def stencil(before: In[f32], after: InOut[f32]):
        id = muster.global_id
        with muster.if_either(id.x == 0, lambda: id.y == 0, lambda: id.x >= width - 1, lambda: id.y >= height - 1):
            muster.return_()
        i = id.y * width + id.x
        after[i] = 0.2 * (before[i] + before[i - 1] + before[i + 1] + before[i - width] + before[i + width])

    same(stencil, "cluster/stencil.wgsl")


def test_prefix_sums():
    @muster.function
    def sum_in_front(lane: u32, own: u32, tree: Workgroup[muster.array(u32, 256)]) -> u32:
        tree[lane] = own
        with muster.for_(u32(2), lambda k: k <= 256, lambda k: k << 1) as width:
            muster.workgroup_barrier()
            end = (lane + 1) * width - 1
            with muster.if_(end < 256):
                tree[end] += tree[end - width // 2]
        muster.workgroup_barrier()
        with muster.if_(lane == 255):
            tree[255] = 0
        with muster.for_(u32(256), lambda k: k >= 2, lambda k: k >> 1) as width:
            muster.workgroup_barrier()
            end = (lane + 1) * width - 1
            with muster.if_(end < 256):
                left = tree[end - width // 2]
                tree[end - width // 2] = tree[end]
                tree[end] += left
        muster.workgroup_barrier()
        return tree[lane]

    @muster.kernel(workgroup_size=256)
    def scan(values: InOut[u32], totals: InOut[u32]):
        tree = muster.workgroup(u32, 256)
        id, lane, group, groups = muster.global_id, muster.local_index(), muster.workgroup_id, muster.num_workgroups
        count = values.length
        run = (count - 1) // (256 * groups.x) + 1
        begin = muster.min(id.x * run, count)
        end = muster.min(begin + run, count)
        own = muster.var(u32(0))
        with muster.for_range(begin, end) as i:
            own += values[i]
        in_front = sum_in_front(lane, own, tree)
        with muster.if_(lane == 255):
            totals[group.x] = in_front + own
        muster.grid_barrier()
        with muster.if_(group.x == 0):
            total_run = (groups.x + 255) // 256
            totals_begin = muster.min(lane * total_run, groups.x)
            totals_end = muster.min(totals_begin + total_run, groups.x)
            total = muster.var(u32(0))
            with muster.for_range(totals_begin, totals_end) as i:
                total += totals[i]
            sum = muster.var(sum_in_front(lane, total, tree))
            with muster.for_range(totals_begin, totals_end) as i:
                following = totals[i]
                totals[i] = sum
                sum += following
        muster.grid_barrier()
        sum = muster.var(totals[group.x] + in_front)
        with muster.for_range(begin, end) as i:
            following = values[i]
            values[i] = sum
            sum += following

    same(scan, "scan/scan.wgsl")
    values = np.arange(3000, dtype=np.uint32)
    expected = np.concatenate([[0], np.cumsum(values)[:-1]])
    scan(values, np.zeros(4, np.uint32), workgroups=4)
    assert np.array_equal(values, expected)
