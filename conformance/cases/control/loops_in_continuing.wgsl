// Constructs in a continuing block that end on all their paths: loops that always break, choices that always jump, and functions
// that always return early.
// bind y = u32 0 1 2 3
// bind out = zeros u32 12
@group(0) @binding(0) var<storage, read> y: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
fn early(k: u32) -> u32 {
    if k % 2u == 0u { return k + 10u; } else { return k * 3u; }
}
fn always_leaves(k: u32) -> u32 {
    var i = k;
    loop {
        i++;
        switch i % 3u {
            case 1u: { if i > 5u { continue; } else { return i; } }
            default: { if i % 2u == 0u { return i * 2u; } else { break; } }
        }
        if i > 20u { return 100u; } else { continue; }
    }
}
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
    var i = y[id];
    loop {
        continuing {
            loop { if i > 5u { i = i * 2u; break; } else { i = i * 2u + 1u; break; } }
            break if i > 10u;
        }
    }
    out[id] = i;
    var sum = 0u;
    var turns = 0u;
    loop {
        turns++;
        continuing {
            sum += early(turns);
            loop {
                sum++;
                switch sum % 3u { case 0u: { break; } default: { if sum > 7u { continue; } else { continue; } } }
                break;
            }
            sum += always_leaves(turns + id);
            break if turns > 4u;
        }
    }
    out[4u + id] = sum;
    var inner = id;
    loop {
        continuing {
            loop {
                continuing {
                    loop { inner++; if inner % 2u == 0u { break; } else { break; } }
                    break if inner > 6u;
                }
            }
            break if inner > 6u;
        }
    }
    out[8u + id] = inner;
}
