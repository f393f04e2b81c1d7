// Rotary embedding: turns the pair i, i + size / 2 of each head's values by place * base^(-2 i / size). `first` is the place
// of the first row in the sequence. Dispatch size / 2 by heads by rows invocations.
override heads: u32;
override size: u32;  // values per head, even
override base = 10000f;

@group(0) @binding(0) var<uniform> first: u32;
@group(0) @binding(1) var<storage, read_write> values: array<f32>;  // [row][head][value]

@compute @workgroup_size(32, 2, 2)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let pairs = size / 2;
    let low = (id.z * heads + id.y) * size + id.x;
    if id.x >= pairs || id.y >= heads || low + pairs >= arrayLength(&values) {
        return;
    }
    let angle = f32(first + id.z) * exp2(-f32(id.x) / f32(pairs) * log2(base));
    let c = cos(angle);
    let s = sin(angle);
    let x = values[low];
    let y = values[low + pairs];
    values[low] = x * c - y * s;
    values[low + pairs] = x * s + y * c;
}
