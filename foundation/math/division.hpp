// division.hpp - a / b and sqrt(x), correctly rounded, without the device's own operations.
//
// Both estimate the result with an approximate f32 reciprocal (root), in two parts of about 13 bits, and
// correct each part by its remainder: an integer, exact modulo 2^32 because the estimate is near. So the
// reciprocal's error matters only up to that bound; the last remainder's sign, and whether it is zero, give
// all that rounding needs. Zeros, infinities and NaN are selected at the end. Subnormals are kept even if the
// device flushes them, because they are integers here.
#pragma once

#include <muster/foundation/math/bits.hpp>

namespace muster::math {

/// 1 / x for x in [2^10, 2^11), with relative error 2^-16 (tested for every x).
template <Number F>
F reciprocal(F x) {
    const F first = 0x1.696968p-10f - x * 0x1.e1e1e2p-22f;  // 24/17 - 8/17 x for x in [1, 2): 1/17
    const F second = first * (2.0f - x * first);            // 1/289
    return second * (2.0f - x * second);
}

/// `quotient` if both numbers are finite and nonzero, else the quotient of the special values; both without
/// sign.
template <class B>
B or_special_quotient(B quotient, B dividend, B divisor) {
    const auto zero = either(dividend == 0u, divisor == bits_of_infinity);
    const auto infinite = either(dividend == bits_of_infinity, divisor == 0u);
    const auto neither = either(both(zero, infinite), max(dividend, divisor) > bits_of_infinity);
    const B result = select(select(quotient, 0u, zero), bits_of_infinity, infinite);
    return select(result, bits_of_nan, neither);
}

template <Number F>
F divide(F dividend, F divisor) {
    using B = Bits<F>;
    const B a = bits_of(dividend) & ~sign_bit, b = bits_of(divisor) & ~sign_bit;
    const Unpacked<B> x = unpack(a), y = unpack(b);
    const B y_significand = y.significand();
    const F inverse = reciprocal(float_with_fraction(y.fraction, 10));
    // x/y * 2^13, with error below 0.5 + 2^14 / 2^16, and its remainder, below 0.8 y.
    const B high = nearest_integer(float_with_fraction(x.fraction, 23) * inverse);
    const B rest = (x.significand() << 13u) - high * y_significand;
    // rest/y * 2^13, with error below 0.5 + 0.8 * 2^13 / 2^16.
    const B low = nearest_integer(number_of_integer(rest) * inverse);
    const B last = (rest << 13u) - low * y_significand;                          // between -y and y
    const B quotient = (((high << 13u) + low) - (last >> 31u)) | any_bit(last);  // x/y * 2^26, 26 or 27 bits
    const B zeros = count_leading_zeros(quotient);
    const B exponent = (x.exponent - y.exponent) + (exponent_offset + 132u) - zeros;
    const B magnitude = or_special_quotient(rounded(shift_left(quotient, zeros - 2u), exponent), a, b);
    return float_of(magnitude | ((bits_of(dividend) ^ bits_of(divisor)) & sign_bit));
}

/// 1 / sqrt(x) for x in [1, 4), with relative error 2^-17 (tested for every x).
template <Number F>
F reciprocal_root(F x) {
    const F half = x * 0.5f;
    const F first = float_of(0x5f3759dfu - (bits_of(x) >> 1u));  // 0.0344
    const F second = first * (1.5f - (half * first) * first);    // 0.00176
    return second * (1.5f - (half * second) * second);           // 0.0000047
}

template <Number F>
F square_root(F radicand) {
    using B = Bits<F>;
    const B bits = bits_of(radicand);
    const Unpacked<B> x = unpack(bits);
    // x = m * 4^n with m in [1, 4); `biased` = 2n + 254, plus one if m is 2 or more
    const B biased = x.exponent + 127u;
    const B odd = biased & 1u;
    const F m = float_of((x.fraction | bits_of_one) + (odd << 23u));
    const B significand = shift_left(x.significand(), odd);  // m * 2^23
    const F inverse = reciprocal_root(m);
    const B high = nearest_integer((m * 0x1p12f) * inverse);
    const B rest = (significand << 1u) - high * high;  // (root - high) * 2 high, plus a little
    const B low = nearest_integer(number_of_integer(rest) * (inverse * 0.5f));
    const B estimate = (high << 12u) + low;  // sqrt(m) * 2^24, with error below 1
    const B last = (significand << 25u) - estimate * estimate;
    const B root = estimate - (last >> 31u);  // rounded down, 25 bits
    // No root lies halfway between two floats: it would have 25 bits, its square an odd 49th or 50th.
    const B magnitude = (((biased >> 1u) - 1u) << 23u) + ((root + 1u) >> 1u);
    const auto itself = either((bits & ~sign_bit) == 0u, bits == bits_of_infinity);
    return float_of(select(select(magnitude, bits_of_nan, bits > bits_of_infinity), bits, itself));
}

}  // namespace muster::math
