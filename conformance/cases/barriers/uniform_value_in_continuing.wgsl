// The continuing block uses a uniform value of the body, past nested returns and breaks that all take together.
// bind u = u32 1 0 0 0
// bind out = zeros u32 8
// expect out = u32 627 627 627 627 627 627 627 627
var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> u: vec4u;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3u) {
    var c = 0u;
    loop {
        if (u.x == 2u) { tile[i] = 1u; if (u.y == 1u) { return; } }
        workgroupBarrier();
        let n = g.x * 3u + u.x;
        tile[i] = c;
        workgroupBarrier();
        out[i] += tile[7u - i] + n;
        if (u.z == 0u) { out[i] += 100u; if (u.w == 1u) { break; } }
        workgroupBarrier();
        continuing { c += n; break if c > 5u; }
    }
    out[i] += c;
}
