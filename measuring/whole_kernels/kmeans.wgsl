// Groups points in the plane around centres, a turn at a time: `assign`, an invocation per point, labels each with its
// nearest centre and adds up the points of each; `update`, an invocation per centre, puts it at the mean of its points. Sums
// are of integers, so that their order doesn't matter: coordinates are multiples of 1 / 1024, from 0 on.
override centre_count: u32;
const block = 256u;
const steps = 1024f;  // of a coordinate, per unit

@group(0) @binding(0) var<storage, read> points: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> centres: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> labels: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;  // x, y and points of each centre; zero at first

var<workgroup> own_sums: array<atomic<u32>, 3 * centre_count>;

fn nearest(point: vec2f) -> u32 {
    var found = 0u;
    var least = 3e38f;
    for (var i = 0u; i < centre_count; i++) {
        let away = centres[i] - point;
        let squared = dot(away, away);
        if squared < least {
            least = squared;
            found = i;
        }
    }
    return found;
}

@compute @workgroup_size(block)
fn assign(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    if id.x < arrayLength(&points) {
        let point = points[id.x];
        let label = nearest(point);
        labels[id.x] = label;
        let stepped = vec2u(point * steps);
        atomicAdd(&own_sums[3 * label], stepped.x);
        atomicAdd(&own_sums[3 * label + 1], stepped.y);
        atomicAdd(&own_sums[3 * label + 2], 1u);
    }
    workgroupBarrier();
    for (var i = lane; i < 3 * centre_count; i += block) {
        atomicAdd(&sums[i], atomicLoad(&own_sums[i]));
    }
}

// A centre without points stays where it is.
@compute @workgroup_size(64)
fn update(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= centre_count {
        return;
    }
    let x = atomicExchange(&sums[3 * id.x], 0);
    let y = atomicExchange(&sums[3 * id.x + 1], 0);
    let count = atomicExchange(&sums[3 * id.x + 2], 0);
    if count > 0 {
        centres[id.x] = vec2f(f32(x), f32(y)) / f32(count) / steps;
    }
}
