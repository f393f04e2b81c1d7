// fused.hpp - a * b + c with one rounding, without the device's own operation.
//
// The product's 48 bits and c's 24 are aligned in 64 bits (two words) and summed exactly; bits that a long
// shift cuts off are kept as one sticky bit; then the sum is rounded. Zeros, infinities and NaN are
// selected at the end from the device's own a * b + c, which is exact for them. Subnormals are kept,
// because they are integers here.
#pragma once

#include <muster/foundation/math/bits.hpp>

namespace muster::math {

/// high * 2^32 + low.
template <class B>
struct Wide {
    B high, low;
};

/// The product of two significands, times 2^13: at most 61 bits.
template <Number F>
Wide<Bits<F>> product(const Unpacked<Bits<F>>& a, const Unpacked<Bits<F>>& b) {
    using B = Bits<F>;
    const B low = a.significand() * b.significand();
    // Bits 19 and up of the product, with error at most 16; the remainder is signed and exact modulo 2^32.
    const B estimate =
        integer_of_number(float_with_fraction(a.fraction, 13) * float_with_fraction(b.fraction, 14));
    const B rest = low - (estimate << 19u);
    return {(estimate - (sign_bit >> 19u)) + ((rest + sign_bit) >> 19u), low << 13u};
}

/// Shifts right by 0 to 63 and sets the result's last bit if any set bit was lost. A low word that is shifted
/// out entirely leaves no trace: its high word, which isn't 0 then, leaves one or stays.
template <class B>
Wide<B> shift_right_keeping_trace(Wide<B> x, B count) {
    const auto far = count > 31u;
    const B high = select(x.high, 0u, far), low = select(x.low, x.high, far);
    const B rest_of_32 = count ^ 31u;  // 31 - count, modulo 32
    const B lost = shift_left(low << 1u, rest_of_32);
    return {shift_right(high, count),
            (shift_right(low, count) | shift_left(high << 1u, rest_of_32)) | any_bit(lost)};
}

/// x + y, or x - y if `opposite` is 1 and not 0. x.low is even; y.low's last bit is the sticky
/// bit, which moves up by one.
template <class B>
Wide<B> sum(Wide<B> x, Wide<B> y, B opposite) {
    const B factor = 1u - (opposite << 1u);
    const B low = (x.low >> 1u) + factor * ((y.low >> 1u) | (y.low & 1u));
    const B carry = low >> 31u;  // or borrow
    return {x.high + factor * (y.high + carry), low << 1u};
}

template <class B>
Wide<B> magnitude(Wide<B> x) {
    const auto negative = x.high > ~sign_bit;
    return {select(x.high, (0u - x.high) - any_bit(x.low), negative), select(x.low, 0u - x.low, negative)};
}

/// x * 2^-59 * 2^(exponent - offset - 127), rounded. Preconditions: x < 2^62; if the high word is 0, the low
/// word's last two bits are 0 too, or the result is 0.
template <class B>
B rounded(Wide<B> x, B exponent) {
    const auto short_ = x.high == 0u;
    const B high = select(x.high, x.low >> 2u, short_);
    const B low = select(x.low, 0u, short_);
    const B zeros = count_leading_zeros(high);
    const B shift = zeros - 2u;
    const B significand =
        (shift_left(high, shift) | shift_right(low >> 1u, shift ^ 31u)) | any_bit(shift_left(low, shift));
    return rounded(significand, (exponent + select(4u, 4u - 30u, short_)) - zeros);
}

template <Number F>
F fused_multiply_add(F a, F b, F c) {
    using B = Bits<F>;
    const B a_bits = bits_of(a), b_bits = bits_of(b), c_bits = bits_of(c);
    const B a_size = a_bits & ~sign_bit, b_size = b_bits & ~sign_bit, c_size = c_bits & ~sign_bit;
    const Unpacked<B> x = unpack(a_size), y = unpack(b_size), z = unpack(c_size);

    // Both times 2^59, with their exponents. The exponent of c = 0 is -24: products below it round to zero
    // anyway.
    const Wide<B> xy = product<F>(x, y);
    const B z_high = select(z.significand() << 4u, 0u, c_size == 0u);
    const B xy_exponent = (x.exponent + y.exponent) + (exponent_offset - 127u);
    const B z_exponent = z.exponent + exponent_offset;

    // `first` has the greater exponent, `other` is added to it. Their difference is negative, or loses more
    // than 3 bits, only if the exponents are at most 2 apart; shifts up to 12 lose no bits.
    const auto z_first = z_exponent > xy_exponent;
    const B exponent = max(xy_exponent, z_exponent);
    const B distance = min(exponent - min(xy_exponent, z_exponent), 63u);
    const Wide<B> first{select(xy.high, z_high, z_first), select(xy.low, 0u, z_first)};
    const Wide<B> other{select(z_high, xy.high, z_first), select(0u, xy.low, z_first)};
    const B xy_sign = a_bits ^ b_bits;
    const Wide<B> total = sum(first, shift_right_keeping_trace(other, distance), (xy_sign ^ c_bits) >> 31u);

    const B sign = (select(xy_sign, c_bits, z_first) ^ total.high) & sign_bit;
    const Wide<B> size = magnitude(total);
    // x - x gives +0.
    const B result = select(sign | rounded(size, exponent), 0u, (size.high | size.low) == 0u);

    // True for zero, infinity and NaN: subtracting 1 wraps zero to the top.
    const auto special_product =
        either((a_size - 1u) > (bits_of_infinity - 2u), (b_size - 1u) > (bits_of_infinity - 2u));
    const auto special = either(special_product, c_size > (bits_of_infinity - 1u));
    return select(float_of(result), select(0.0f, a * b, special_product) + c, special);
}

}  // namespace muster::math
