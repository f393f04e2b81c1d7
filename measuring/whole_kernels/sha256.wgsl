// Hashes messages by SHA-256 (FIPS 180-4), one per invocation. The messages' bytes lie one behind the other, four to a word,
// the first in its low bits; message m is from byte starts[m] up to starts[m + 1]. Words of digests are big-endian.
const k = array(
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u);

struct Message {
    start: u32,
    size: u32,  // in bytes
}

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> bytes: array<u32>;
@group(0) @binding(2) var<storage, read_write> digests: array<array<u32, 8>>;

fn rotate(x: u32, by: u32) -> u32 {
    return (x >> by) | (x << (32 - by));
}

// A byte of the padded message, before the 8 bytes of its size: behind the message come a single bit and zeros.
fn padded_byte(message: Message, at: u32) -> u32 {
    if at >= message.size {
        return select(0u, 0x80u, at == message.size);
    }
    let place = message.start + at;
    return extractBits(bytes[place / 4], 8 * (place % 4), 8);
}

fn padded_word(message: Message, at: u32) -> u32 {
    return (padded_byte(message, at) << 24) | (padded_byte(message, at + 1) << 16) |
           (padded_byte(message, at + 2) << 8) | padded_byte(message, at + 3);
}

// The next word of the schedule, which takes the place of the oldest of the last 16.
fn schedule(w: ptr<function, array<u32, 16>>, turn: u32) -> u32 {
    let a = (*w)[(turn + 1) % 16];
    let b = (*w)[(turn + 14) % 16];
    (*w)[turn % 16] += (rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)) + (*w)[(turn + 9) % 16] +
                       (rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10));
    return (*w)[turn % 16];
}

fn compress(hash: ptr<function, array<u32, 8>>, w: ptr<function, array<u32, 16>>) {
    var s = *hash;
    for (var turn = 0u; turn < 64; turn++) {
        var word = (*w)[turn % 16];
        if turn >= 16 {
            word = schedule(w, turn);
        }
        let e = s[4];
        let choice = (e & s[5]) ^ (~e & s[6]);
        let t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + k[turn] + word;
        let a = s[0];
        let majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
        let t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
        s = array(t1 + t2, a, s[1], s[2], s[3] + t1, e, s[5], s[6]);
    }
    for (var i = 0u; i < 8; i++) {
        (*hash)[i] += s[i];
    }
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&digests) {
        return;
    }
    let message = Message(starts[id.x], starts[id.x + 1] - starts[id.x]);
    var hash = array(0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                     0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u);
    let blocks = (message.size + 9 + 63) / 64;
    for (var block = 0u; block < blocks; block++) {
        var w: array<u32, 16>;
        for (var i = 0u; i < 16; i++) {
            w[i] = padded_word(message, 64 * block + 4 * i);
        }
        if block == blocks - 1 {  // the size in bits
            w[14] = message.size >> 29;
            w[15] = message.size << 3;
        }
        compress(&hash, &w);
    }
    digests[id.x] = hash;
}
