// Draws the line where a field, sampled on a grid, has the value `level`, as segments in the order of the grid's cells, values
// of at least `level` on their left. `count` and `draw` take an invocation per cell; between them, `scan` on one workgroup says
// where each workgroup's segments begin.
//
// Corners and sides of a cell, and the bit of a corner that is inside:
//     3 8 --2-- 2 4
//       3       1      y
//     0 1 --0-- 1 2    ^ > x
override width: u32;  // of the grid, in samples
override height: u32;
override level = 0f;
override block = 256u;  // cells per workgroup, a power of two

struct Segment {
    start: vec2f,
    end: vec2f,
}

@group(0) @binding(0) var<storage, read> field: array<f32>;
@group(0) @binding(1) var<storage, read_write> starts: array<u32>;  // the first segment of each cell in its workgroup
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;  // of each workgroup; scanned: where they begin
@group(0) @binding(3) var<storage, read_write> segments: array<Segment>;

// The sides from and to which segments run, by the corners inside; -1: no segment. Where two opposite corners are
// inside, each is cut off.
const sides = array(
    vec4i(-1), vec4i(0, 3, -1, -1), vec4i(1, 0, -1, -1), vec4i(1, 3, -1, -1),
    vec4i(2, 1, -1, -1), vec4i(0, 3, 2, 1), vec4i(2, 0, -1, -1), vec4i(2, 3, -1, -1),
    vec4i(3, 2, -1, -1), vec4i(0, 2, -1, -1), vec4i(1, 0, 3, 2), vec4i(1, 2, -1, -1),
    vec4i(3, 1, -1, -1), vec4i(0, 1, -1, -1), vec4i(3, 0, -1, -1), vec4i(-1));

struct Cell {
    corner: vec2u,   // 0
    values: vec4f,   // of its corners
    sides: vec4i,
}

fn cell_at(id: u32) -> Cell {
    let corner = vec2u(id % (width - 1), id / (width - 1));
    let at = corner.y * width + corner.x;
    let values = vec4f(field[at], field[at + 1], field[at + width + 1], field[at + width]);
    let bits = select(vec4u(), vec4u(1, 2, 4, 8), values >= vec4f(level));
    return Cell(corner, values, sides[bits.x | bits.y | bits.z | bits.w]);
}

fn cell_count() -> u32 {
    return (width - 1) * (height - 1);
}

var<workgroup> sums: array<u32, block>;

// The sums of the invocations' values up to each one.
fn sum_up(own: u32, lane: u32) -> u32 {
    sums[lane] = own;
    workgroupBarrier();
    for (var distance = 1u; distance < block; distance *= 2) {
        var left = 0u;
        if lane >= distance {
            left = sums[lane - distance];
        }
        workgroupBarrier();
        sums[lane] += left;
        workgroupBarrier();
    }
    return sums[lane];
}

@compute @workgroup_size(block)
fn count(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
         @builtin(workgroup_id) group: vec3u) {
    var own = 0u;
    if id.x < cell_count() {
        let cell = cell_at(id.x);
        own = u32(cell.sides.x >= 0) + u32(cell.sides.z >= 0);
    }
    let sum = sum_up(own, lane);
    if id.x < cell_count() {
        starts[id.x] = sum - own;
    }
    if lane == block - 1 {
        totals[group.x] = sum;
    }
}

@compute @workgroup_size(block)
fn scan(@builtin(local_invocation_index) lane: u32) {
    let size = arrayLength(&totals);
    var before = 0u;
    for (var first = 0u; first < size; first += block) {
        var own = 0u;
        if first + lane < size {
            own = totals[first + lane];
        }
        let sum = sum_up(own, lane);
        if first + lane < size {
            totals[first + lane] = before + sum - own;
        }
        before += sums[block - 1];
        workgroupBarrier();
    }
}

// The point where the line crosses a side, which runs from the corner of its number to the next.
fn crossing(cell: Cell, side: i32) -> vec2f {
    const corners = array(vec2f(0, 0), vec2f(1, 0), vec2f(1, 1), vec2f(0, 1));
    let next = (side + 1) % 4;
    let part = (level - cell.values[side]) / (cell.values[next] - cell.values[side]);
    return vec2f(cell.corner) + corners[side] + part * (corners[next] - corners[side]);
}

@compute @workgroup_size(block)
fn draw(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
    if id.x >= cell_count() {
        return;
    }
    let cell = cell_at(id.x);
    let to = totals[group.x] + starts[id.x];
    if cell.sides.x >= 0 {
        segments[to] = Segment(crossing(cell, cell.sides.x), crossing(cell, cell.sides.y));
    }
    if cell.sides.z >= 0 {
        segments[to + 1] = Segment(crossing(cell, cell.sides.z), crossing(cell, cell.sides.w));
    }
}
