// A value read in the turn in which an invocation leaves a loop is kept after the loop.
// bind keys = u32 30 10 60 0 20 50 40 70
// bind wanted = u32 50 10 70 20 60 0 30 40
// bind out = zeros u32 24
// expect out = u32 50 10 70 20 60 0 30 40 10 60 60 10 60 60 10 60 2 1 2 0 2 0 1 2
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> wanted: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    var at = 0u;
    var found = 0u;
    loop {
        found = keys[at];
        if found == wanted[i] { break; }
        at++;
    }
    out[i] = found;
    var turns = 1u + i % 3u;
    var last = 0u;
    loop {
        last = keys[turns];
        continuing { turns--; break if turns * i < i * 2u || turns == 0u; }
    }
    out[8u + i] = last;
    var rest = wanted[i] / 10u;
    var bit = 0u;
    while rest > 3u { bit = keys[rest] / 10u % 2u + 1u; rest -= 3u; }
    out[16u + i] = bit + rest % 2u;
}
