// Unsigned values compare as unsigned, in min and max too.
// bind a = u32 0 1 2147483648 4294967295
// bind out = zeros u32 12
// expect out = u32 1 0 0 0 0 1 2147483647 2147483647 2147483647 2147483647 2147483648 4294967295
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = select(0u, 1u, a[i] < 1u);
    out[i + 4] = min(a[i], 2147483647u);
    out[i + 8] = max(a[i], 2147483647u);
}
