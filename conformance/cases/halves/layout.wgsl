// Structures of f16 have WGSL's layout: vec3h takes 6 bytes at a multiple of 8, and stores leave padding as it was.
// bind things = random u32 48 7
// bind rows = random u32 24 8
// bind scale = f16 0.5 2
enable f16;
struct Thing { a: f16, b: vec3h, c: f16, n: u32, d: array<f16, 3>, e: vec2h, @size(6) f: f16, g: f16 }
@group(0) @binding(0) var<storage, read_write> things: array<Thing, 4>;
@group(0) @binding(1) var<storage, read_write> rows: array<vec3h>;
@group(0) @binding(2) var<uniform> scale: vec2h;
fn tame(x: f16) -> f16 { return select(0h, x, abs(x) < 100); }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var thing = things[i];
    thing.a = tame(thing.b.z) * scale.x;
    thing.b[i % 3] = 7h;
    thing.d[(i + 1) % 3] = f16(thing.n % 100);
    thing.f = scale.y;
    things[i] = thing;
    things[i].g = thing.e.y;
    things[i].b.y = -tame(things[i].c);
    rows[i] = rows[i + 4].zyx;
    rows[i + 8].y = tame(rows[i].x) + 1;
}
