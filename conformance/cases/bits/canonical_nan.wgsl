// A bitcast of a NaN gives canonical bits.
// bind a = f32 0 nan
// bind out = zeros u32 2
// expect out = u32 2143289344 2143289344
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = bitcast<u32>(a[0] / a[0]);
    out[1] = bitcast<u32>(-a[1]);
}
