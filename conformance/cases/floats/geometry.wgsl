// dot, cross, length, distance, normalize, reflect, faceForward.
// bind a = f32 3 4 0 1
// bind out = zeros f32 12
// expect out = f32 25 5 5 0.6 0.8 0 0 5 3 -4 -3 -4
@group(0) @binding(0) var<storage, read> a: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    let v = vec2(a[0], a[1]);
    out[0] = dot(v, v);
    out[1] = length(v);
    out[2] = distance(v, vec2f());
    out[3] = normalize(v).x;
    out[4] = normalize(v).y;
    let c = cross(vec3(v, 0.0), vec3(a[2], a[2], a[3]));
    out[5] = c.z;
    out[6] = c.x - 4.0;
    out[7] = length(c);
    let r = reflect(v, vec2(0.0, 1.0));
    out[8] = r.x;
    out[9] = r.y;
    let f = faceForward(v, v, v);
    out[10] = f.x;
    out[11] = f.y;
}
