// && and || evaluate their right side only if it decides the result.
// bind out = zeros u32 4
// expect out = u32 1 0 0 2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> calls: u32;
fn touched(v: bool) -> bool { calls += 1u; return v; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
    let yes = id.x == 0u;
    out[0] = u32(yes || touched(false));
    out[1] = calls;
    let a = !yes && touched(true);
    let b = yes && touched(false);
    out[2] = u32(a) + u32(b);
    let c = !yes || touched(true);
    out[3] = calls;
}
