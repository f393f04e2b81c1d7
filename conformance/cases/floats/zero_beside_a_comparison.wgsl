// A constant zero times infinity is NaN, also after a comparison of the number of workgroups.
// bind y = f32 inf inf inf inf
// expect y = f32 nan nan nan nan
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(num_workgroups) grid: vec3u) {
    if grid.x == 0u { y[0] = 5.0; } else { y[0] = y[0] * 0.0; }
    if grid.y != 0u { y[1] = y[1] * 0.0; }
    if grid.x == 1u { y[2] = y[2] * 0.0; }
    if grid.x == 0u { return; }
    y[3] = y[3] * 0.0;
}
