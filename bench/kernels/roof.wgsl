// What a device can do at most: copies and reads memory, multiplies and adds, and does next to nothing.
struct Line {
    slope: f32,
    offset: f32,
}

@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
@group(0) @binding(4) var<uniform> line: Line;

@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&after) {
        after[id.x] = before[id.x];
    }
}

// Each workgroup reads 64 KiB, and each invocation writes one sum. Four sums, so that an addition needn't wait for the last.
@compute @workgroup_size(256)
fn read(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3u) {
    let first = group.x * 256 * 64 + lane;
    var partial = vec4f();
    for (var i = 0u; i < 64; i += 4) {
        let at = first + i * 256;
        partial += vec4(values[at], values[at + 256], values[at + 512], values[at + 768]);
    }
    sums[id.x] = (partial.x + partial.y) + (partial.z + partial.w);
}

// Twelve chains, as many as hide the time that a multiplication and an addition take. 256 turns of 24 operations.
@compute @workgroup_size(256)
fn multiply_add(@builtin(global_invocation_id) id: vec3u) {
    var a = f32(id.x & 255) + vec4f(0, 1, 2, 3);
    var b = a + 4;
    var c = b + 4;
    for (var i = 0u; i < 256; i++) {
        a = a * line.slope + line.offset;
        b = b * line.slope + line.offset;
        c = c * line.slope + line.offset;
    }
    let all = a + b + c;
    sums[id.x] = (all.x + all.y) + (all.z + all.w);
}

@compute @workgroup_size(1)
fn launch(@builtin(global_invocation_id) id: vec3u) {
    after[id.x] = before[id.x] + 1;
}
