enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(65535) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
let i = id.x;
var t = 0u;
var x = i;
loop {
x = x * 2 + t;
data[i] = x;
let i = id.x;
continuing {
t++;
gridBarrier();
workgroupBarrier();
out[i] += data[(i + 3) % 20];
gridBarrier();
break if t == turns;
}
}
}
