// The continuing block's condition is computed before a continue that all take.
// bind u = u32 1 0 0 0
// bind out = zeros u32 16
// expect out = u32 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12
var<workgroup> tile: array<u32, 16>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> u: vec4u;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    var turns = 0u;
    loop {
        tile[i] = turns;
        workgroupBarrier();
        if (u.x == 1u) { turns += 2u; }
        let stop = turns > 5u;
        if (u.x == 1u) {
            out[i] += tile[15u - i];
            if (u.y == 0u) { continue; }
            out[i] += 100u;
        }
        out[i] += 1000u;
        continuing { workgroupBarrier(); break if stop; }
    }
    out[i] += turns;
}
