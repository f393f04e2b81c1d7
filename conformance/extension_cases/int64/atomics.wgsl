// Atomic operations on 64-bit integers, in storage and workgroup memory, by many invocations, with and without the old value.
// bind totals = u64 5 18446744073709551615 0 18446744073709551615 0 7 11 4294967295
// bind signed_totals = i64 -5 9223372036854775807 -9223372036854775807 -1 3 0
// bind old = zeros u64 192
enable muster_int64;
struct Counters { a: u32, b: atomic<i64>, c: array<atomic<i64>, 5> }
@group(0) @binding(0) var<storage, read_write> totals: array<atomic<u64>, 8>;
@group(0) @binding(1) var<storage, read_write> signed_totals: array<atomic<i64>, 6>;
@group(0) @binding(2) var<storage, read_write> old: array<u64, 192>;
var<workgroup> word: u32;
var<workgroup> counters: Counters;
var<workgroup> own: array<atomic<u64>, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    let x = (u64(i) + 1) * 0x123456789;
    atomicAdd(&totals[0], x);
    atomicSub(&totals[1], x);
    atomicMax(&totals[2], x << (i % 31));
    atomicMin(&totals[3], x ^ 0xffffffff00000000lu);
    atomicOr(&totals[4], 1lu << i);
    if i % 3 == 1 { atomicXor(&totals[5], x); atomicAnd(&totals[6], ~x); }
    if i == 40 { atomicStore(&totals[7], atomicLoad(&totals[7]) * 3); }
    let y = i64(x) * select(1li, -1li, i % 2 == 0);
    atomicAdd(&signed_totals[0], y);
    atomicMin(&signed_totals[1], y);
    atomicMax(&signed_totals[2], y);
    atomicAdd(&counters.b, y);
    atomicMax(&counters.c[i % 7], y);
    word = 1;
    workgroupBarrier();
    atomicStore(&own[i], x);
    old[i] = atomicAdd(&own[i], x) + atomicExchange(&own[i], 3 * x);
    let found = atomicCompareExchangeWeak(&own[i], select(3 * x, 1, i % 5 == 0), 77);
    old[64 + i] = found.old_value + u64(found.exchanged) + atomicLoad(&own[i]) + atomicAnd(&own[i], 15);
    old[128 + i] = atomicOr(&own[i], 32) + atomicXor(&own[i], 33) + atomicMax(&own[i], x) + atomicMin(&own[i], 5)
                   + atomicSub(&own[i], 6) + atomicLoad(&own[i]);
    if i < 5 { atomicSub(&signed_totals[3], atomicLoad(&counters.c[i])); }
    if i == 0 { atomicExchange(&signed_totals[4], atomicLoad(&counters.b)); }
}
