// Factorises a square matrix in place, P A = L U, with partial pivoting: L, whose diagonal is 1, below the diagonal, U from it
// on. Row r of the result was row order[r]. For each column but the last, dispatch `pivot` on one workgroup, then
// `eliminate` on as many invocations by as many as there are rows below.
override size: u32;
const block = 256u;

@group(0) @binding(0) var<uniform> column: u32;
@group(0) @binding(1) var<storage, read_write> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> order: array<u32>;

struct Candidate {
    row: u32,
    magnitude: f32,
}

var<workgroup> candidates: array<Candidate, block>;

// The candidate with the greater magnitude; of two equal ones that of the upper row, so that the order of comparing
// doesn't matter.
fn better(x: Candidate, y: Candidate) -> Candidate {
    if y.magnitude > x.magnitude || (y.magnitude == x.magnitude && y.row < x.row) {
        return y;
    }
    return x;
}

// The row, from the diagonal on, with the greatest element of the column.
fn find_pivot(lane: u32) -> u32 {
    var best = Candidate(column, 0);
    for (var row = column + lane; row < size; row += block) {
        best = better(best, Candidate(row, abs(a[row * size + column])));
    }
    candidates[lane] = best;
    for (var stride = block / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            candidates[lane] = better(candidates[lane], candidates[lane + stride]);
        }
    }
    workgroupBarrier();
    return candidates[0].row;
}

// Exchanges the rows of the pivot and of the diagonal, and divides the column below by the pivot.
@compute @workgroup_size(block)
fn pivot(@builtin(local_invocation_index) lane: u32) {
    let row = find_pivot(lane);
    storageBarrier();
    if row != column {
        for (var i = lane; i < size; i += block) {
            let lower = a[row * size + i];
            a[row * size + i] = a[column * size + i];
            a[column * size + i] = lower;
        }
        if lane == 0 {
            let lower = order[row];
            order[row] = order[column];
            order[column] = lower;
        }
    }
    storageBarrier();
    let divisor = a[column * size + column];
    for (var i = column + 1 + lane; i < size; i += block) {
        a[i * size + column] /= divisor;
    }
}

// Subtracts the multiple of the diagonal's row from each row below.
@compute @workgroup_size(16, 16)
fn eliminate(@builtin(global_invocation_id) id: vec3u) {
    let x = column + 1 + id.x;
    let y = column + 1 + id.y;
    if x < size && y < size {
        a[y * size + x] -= a[y * size + column] * a[column * size + x];
    }
}
