// A let is used on both sides of two grid barriers.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect data = u32 4294966932 4294966969 4294967004 4294967037 4294967068 4294967097 4294967124 4294967149 4294967172 4294967193 4294967212 4294967229 4294967244 4294967257 4294967268 4294967277 4294967284 4294967289 4294967292 4294967293
// expect out = u32 367 331 299 271 247 227 211 199 191 187 187 191 199 211 227 247 271 299 331 367
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let t = i * i + 3;
    data[i] = t;
    gridBarrier();
    out[i] = t + data[19 - i];
    gridBarrier();
    data[i] = t - out[19 - i];
}
