// Computes causal attention, softmax(q k^T / sqrt(64)) v, without the matrix of scores: a query sees the keys up to its
// own place. An invocation has one query and its weighted sum of values in registers; its workgroup walks over tiles of
// keys and values in workgroup memory. Weights are relative to the greatest score so far, so that none overflows; when
// it grows, the sum is scaled down (online softmax). Dispatch ceil(length / 32) by heads workgroups.
override length: u32;  // of the sequence
const tile = 32u;      // queries per workgroup, keys per tile
const quads = 16u;     // of four floats, in a query, a key, a value
const scale = 0.125f;  // 1 / sqrt(4 * quads)

// [head][place][quad]
@group(0) @binding(0) var<storage, read> q: array<vec4f>;
@group(0) @binding(1) var<storage, read> k: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> attention: array<vec4f>;

var<workgroup> keys: array<array<vec4f, quads>, tile>;
var<workgroup> values: array<array<vec4f, quads>, tile>;

// Copies keys and values from place `first` on. Those behind the end stay, and aren't used.
fn load_tile(head: u32, first: u32, lane: u32) {
    for (var i = lane; i < tile * quads; i += tile) {
        let row = i / quads;
        if first + row < length {
            let at = (head + first) * quads + i;
            keys[row][i % quads] = k[at];
            values[row][i % quads] = v[at];
        }
    }
}

fn score(query: ptr<function, array<vec4f, quads>>, key: u32) -> f32 {
    var sum = vec4f();
    for (var i = 0u; i < quads; i++) {
        sum += (*query)[i] * keys[key][i];
    }
    return scale * ((sum.x + sum.y) + (sum.z + sum.w));
}

@compute @workgroup_size(tile)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let head = group.y * length;
    let place = group.x * tile + lane;
    let inside = place < length;
    var query: array<vec4f, quads>;
    if inside {
        for (var i = 0u; i < quads; i++) {
            query[i] = q[(head + place) * quads + i];
        }
    }

    var sum: array<vec4f, quads>;
    var weights = 0f;
    var greatest = -3e38f;
    for (var first = 0u; first <= group.x * tile; first += tile) {
        load_tile(head, first, lane);
        workgroupBarrier();
        let visible = select(0u, min(tile, place - first + 1), inside);
        for (var key = 0u; key < visible; key++) {
            let s = score(&query, key);
            let before = greatest;
            greatest = max(before, s);
            let fading = exp(before - greatest);
            let weight = exp(s - greatest);
            weights = weights * fading + weight;
            for (var i = 0u; i < quads; i++) {
                sum[i] = sum[i] * fading + weight * values[key][i];
            }
        }
        workgroupBarrier();
    }
    if inside {
        for (var i = 0u; i < quads; i++) {
            attention[(head + place) * quads + i] = sum[i] / weights;
        }
    }
}
