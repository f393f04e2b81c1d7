// Subnormal numbers are kept; on a device that flushes them, results made from them are zero.
// bind a = f32 0x1p-130 -0x1p-140 0x1p-149 0x1p-127
// bind out = zeros f32 32
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let v = a[i];
    let made = array(v + 0.0, 0.0 - v, v - v, v * 1.0, v * 0.5, v + a[0], abs(v), max(v, 0.0));
    for (var k = 0u; k < 8u; k++) {
        out[8u * i + k] = made[k];
    }
}
