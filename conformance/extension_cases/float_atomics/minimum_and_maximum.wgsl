// Minima and maxima of f32: by value and not by bits, -0 is below +0, and a number wins over NaN.
// bind low = f32 inf -0.5 0 -0 nan 1 nan
// bind high = f32 -inf -0.5 0 -0 nan 1 nan
// bind x = f32 -1.5 -0.25 -0 0 -3 nan nan
// workgroups 1
// expect low = f32 -1.5 -0.5 -0 -0 -3 1 nan
// expect high = f32 -1.5 -0.25 0 0 -3 1 nan
enable muster_float_atomics;
@group(0) @binding(0) var<storage, read_write> low: array<atomic<f32>>;
@group(0) @binding(1) var<storage, read_write> high: array<atomic<f32>>;
@group(0) @binding(2) var<storage> x: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    atomicMin(&low[i], x[i]);
    atomicMax(&high[i], x[i]);
}
