var<workgroup> tile: array<u32, 16>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> u: vec4u;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
var c = 0u;
loop {
workgroupBarrier(); break;
let n = tile[15u - i] * 2u + u.x;
if (u.x == 1u) { out[i] += 1u; if (u.y == 0u) { continue; } out[i] += 100u; } break;
out[i] += 10u;
workgroupBarrier();
continuing { c += 1u; out[i] += n; workgroupBarrier(); break if c > 5u;
}
}
out[i] += c;
out[i] = 31u;
}
