// Several selectors per case, a default in the middle, no fallthrough, break.
// bind out = zeros u32 8
// expect out = u32 100 11 11 30 100 100 6 100
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    switch i {
        case 1u, 2u { out[i] = 11u; }
        default { out[i] = 100u; }
        case 3u: {
            out[i] = 30u;
            if i == 3u { break; }
            out[i] = 31u;
        }
        case 6u { out[i] = 6u; }
    }
}
