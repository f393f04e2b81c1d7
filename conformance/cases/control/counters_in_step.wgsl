// Loops whose counters differ by lane: their limits are passed by all lanes together, or not.
// bind out = zeros u32 320
@group(0) @binding(0) var<storage, read_write> out: array<u32, 320>;

@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
    var sum = 0u;
    for (var i = lane; i < 256; i += 64) { sum += i * 3 + 1; }
    out[lane] = sum;
    sum = 0;
    for (var i = lane; i <= 256; i += 64) { sum += i * 3 + 1; }
    out[64 + lane] = sum;
    sum = 0;
    for (var i = lane + 1; !(i >= 256); i += 64) { sum += i * 5; }
    out[128 + lane] = sum;
    sum = 0;
    for (var i = i32(lane) - 128; 64 > i; i += 64) { sum += u32(i * 7); }
    out[192 + lane] = sum;
    sum = 0;
    for (var i = i32(lane) + 192; i >= 64; i -= 64) { sum += u32(i); }
    out[256 + lane] = sum;
}
