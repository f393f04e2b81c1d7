// Kernels that do as much as a device can of one thing: copying and reading memory, multiplying and adding, waiting at barriers,
// or next to nothing.
struct Line {
    slope: f32,
    offset: f32,
}

@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;
@group(0) @binding(2) var<storage, read> before4: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> after4: array<vec4u>;
@group(0) @binding(4) var<uniform> key: u32;
@group(0) @binding(5) var<storage, read_write> places: array<u32>;
@group(0) @binding(6) var<uniform> line: Line;
@group(0) @binding(7) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&after) {
        after[id.x] = before[id.x];
    }
}

@compute @workgroup_size(256)
fn copy_vec4(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&after4) {
        after4[id.x] = before4[id.x];
    }
}

// In place: memory that is written needn't be fetched for that.
@compute @workgroup_size(256)
fn update(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&after) {
        after[id.x] = ~after[id.x];
    }
}

// Reads eight elements and writes one, which depends on all: a workgroup reads them side by side.
@compute @workgroup_size(256)
fn read(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3u) {
    let first = group.x * 2048 + lane;
    after[id.x] = before[first] ^ before[first + 256] ^ before[first + 512] ^ before[first + 768] ^
                  before[first + 1024] ^ before[first + 1280] ^ before[first + 1536] ^ before[first + 1792];
}

@compute @workgroup_size(256)
fn read_vec4(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
             @builtin(workgroup_id) group: vec3u) {
    let first = group.x * 2048 + lane;
    after4[id.x] = before4[first] ^ before4[first + 256] ^ before4[first + 512] ^ before4[first + 768] ^
                   before4[first + 1024] ^ before4[first + 1280] ^ before4[first + 1536] ^ before4[first + 1792];
}

// The next number of a chain.
fn next(x: vec4f) -> vec4f {
    return x * line.slope + line.offset;
}

// Twelve chains, as many as hide the time that a multiplication and an addition take; four times in each of 64 turns.
@compute @workgroup_size(256)
fn multiply_add(@builtin(global_invocation_id) id: vec3u) {
    var a = f32(id.x & 255) + vec4f(0, 1, 2, 3);
    var b = a + 4;
    var c = b + 4;
    for (var i = 0u; i < 64; i++) {
        a = next(a);
        b = next(b);
        c = next(c);
        a = next(a);
        b = next(b);
        c = next(c);
        a = next(a);
        b = next(b);
        c = next(c);
        a = next(a);
        b = next(b);
        c = next(c);
    }
    let all = a + b + c;
    sums[id.x] = (all.x + all.y) + (all.z + all.w);
}

@compute @workgroup_size(1)
fn launch(@builtin(global_invocation_id) id: vec3u) {
    places[id.x] = key;
}

var<workgroup> row: array<u32, 256>;

// Each invocation passes a word on to its neighbour, 32 times: two barriers each time.
@compute @workgroup_size(256)
fn exchange(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    var word = before[id.x];
    for (var i = 0u; i < 32; i++) {
        row[lane] = word;
        workgroupBarrier();
        word = row[(lane + 1) & 255];
        workgroupBarrier();
    }
    after[id.x] = word;
}
