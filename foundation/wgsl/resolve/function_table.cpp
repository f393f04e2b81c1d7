#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/wgsl/resolve/function_table.hpp>

namespace muster::wgsl {
namespace {

using Words = std::vector<Word>;
using Constants = std::span<const ConstValue>;
using CheckedConstants = std::span<const ConstValue* const>;

// Abstract numbers: functions of whole vectors, and those that rows share.

Words each(const ConstValue& v, auto&& of) {
    Words words;
    for (std::size_t n = 0; n < v.words().size(); ++n) words.push_back(word(of(n)));
    return words;
}

double dot(const ConstValue& a, const ConstValue& b) {
    double sum = a[0].f * b[0].f;
    for (std::size_t n = 1; n < a.words().size(); ++n) sum += a[n].f * b[n].f;
    return sum;
}

double length(const ConstValue& v) {
    return v.words().size() == 1 ? std::fabs(v[0].f) : std::sqrt(dot(v, v));
}

Words distance(Constants a) {
    const Words difference = each(a[0], [&](std::size_t n) { return a[0][n].f - a[1][n].f; });
    return {word(length(ConstValue(a[0].type(), difference)))};
}

Words cross(Constants a) {
    return each(a[0], [&](std::size_t n) {
        const std::size_t i = (n + 1) % 3, j = (n + 2) % 3;
        return a[0][i].f * a[1][j].f - a[0][j].f * a[1][i].f;
    });
}

Words normalize(Constants a) {
    return each(a[0], [&](std::size_t n) { return a[0][n].f / length(a[0]); });
}

Words face_forward(Constants a) {
    return each(a[0], [&](std::size_t n) { return dot(a[1], a[2]) < 0 ? a[0][n].f : -a[0][n].f; });
}

Words reflect(Constants a) {
    return each(a[0], [&](std::size_t n) { return a[0][n].f - 2.0 * dot(a[1], a[0]) * a[1][n].f; });
}

Words refract(Constants a) {
    const double eta = a[2][0].f, d = dot(a[1], a[0]);
    const double k = 1.0 - eta * eta * (1.0 - d * d);
    return each(a[0], [&](std::size_t n) {
        return k < 0 ? 0.0 : eta * a[0][n].f - (eta * d + std::sqrt(k)) * a[1][n].f;
    });
}

Words dot_of_integers(Constants a) {
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < a[0].words().size(); ++n) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(a[0][n].i, a[1][n].i, &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return {};
    }
    return {word(sum)};
}

/// The determinant of `size` columns and rows, by the first column's minors. `rows` are those that remain.
double minor(const ConstValue& m, std::uint32_t size, std::uint32_t column, std::vector<std::uint32_t> rows) {
    if (rows.size() == 1) return m[column * size + rows[0]].f;
    double sum = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
        std::vector<std::uint32_t> rest = rows;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(n));
        const double term = m[column * size + rows[n]].f * minor(m, size, column + 1, std::move(rest));
        sum += n % 2 == 0 ? term : -term;
    }
    return sum;
}

Words determinant(Constants a) {
    std::vector<std::uint32_t> rows(a[0].type()->count);
    std::iota(rows.begin(), rows.end(), 0u);
    return {word(minor(a[0], a[0].type()->count, 0, std::move(rows)))};
}

Words transpose(Constants a) {
    const std::uint32_t columns = a[0].type()->count, rows = a[0].type()->rows();
    return each(a[0], [&](std::size_t n) { return a[0][n % columns * rows + n / columns].f; });
}

Words split_fraction(Constants a) {
    Words words = each(a[0], [&](std::size_t n) { return a[0][n].f - std::trunc(a[0][n].f); });
    for (Word w : a[0].words()) words.push_back(word(std::trunc(w.f)));
    return words;
}

Words split_exponent(Constants a) {
    Words words, exponents;
    for (Word w : a[0].words()) {
        int exponent = 0;
        words.push_back(word(std::frexp(w.f, &exponent)));
        exponents.push_back(word(std::int64_t{exponent}));
    }
    words.insert(words.end(), exponents.begin(), exponents.end());
    return words;
}

Words select(Constants a) {
    Words words;
    for (std::size_t n = 0; n < a[0].words().size(); ++n) {
        const bool condition = a[2][a[2].type()->is_vector() ? n : 0].i != 0;
        words.push_back(a[condition ? 1 : 0][n]);
    }
    return words;
}

double mix(double x, double y, double t) { return x * (1.0 - t) + y * t; }

double smoothstep(double low, double high, double x) {
    const double t = std::min(std::max((x - low) / (high - low), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}

double ldexp(double x, double exponent) {
    return std::ldexp(x, static_cast<int>(std::clamp(exponent, -4000.0, 4000.0)));
}

template <class T>
T clamp(T x, T low, T high) {
    return std::min(std::max(x, low), high);
}
template <class T>
T sign(T x) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : T{0};
}

// Checks of constant arguments.

bool every(const ConstValue* a, const ConstValue* b, auto&& good) {
    if (a == nullptr || b == nullptr) return true;
    for (std::size_t n = 0; n < a->words().size(); ++n) {
        const Word x = (*a)[n], y = (*b)[n];
        const bool is_u64 = a->type()->scalar()->kind == Kind::u64;
        if (is_u64 && !good(static_cast<std::uint64_t>(x.i), static_cast<std::uint64_t>(y.i))) return false;
        if (!is_u64 && !(a->type()->is_float() ? good(x.f, y.f) : good(x.i, y.i))) return false;
    }
    return true;
}

std::optional<ConstFault> check_bounds(const FunctionCall&, CheckedConstants a) {
    if (every(a[1], a[2], [](auto low, auto high) { return low <= high; })) return {};
    return ConstFault{
        fmt::format("clamp's low, {}, is greater than its high, {}.", to_text(*a[1]), to_text(*a[2])),
        "pass the smaller bound first."};
}

std::optional<ConstFault> check_edges(const FunctionCall&, CheckedConstants a) {
    if (every(a[0], a[1], [](auto x, auto y) { return x != y; })) return {};
    return ConstFault{"smoothstep's two edges are equal: " + to_text(*a[0]) + ".",
                      "use two different edges."};
}

/// The last two arguments are an offset and a count of bits.
std::optional<ConstFault> check_bits(const FunctionCall& call, CheckedConstants a) {
    const ConstValue *offset = a[a.size() - 2], *count = a[a.size() - 1];
    const auto bits = static_cast<std::int64_t>(8 * call.result->scalar()->size);
    if (offset == nullptr || count == nullptr || offset->integer() + count->integer() <= bits) return {};
    return ConstFault{
        fmt::format("offset {} and count {} reach past bit {}.", offset->integer(), count->integer(), bits),
        fmt::format("keep offset + count at most {}.", bits)};
}

std::optional<ConstFault> check_exponent(const FunctionCall& call, CheckedConstants a) {
    if (a[1] == nullptr) return {};
    std::optional<ConstFault> wrong;
    const Kind of = call.result->scalar()->kind;
    const std::int64_t most = of == Kind::f32 ? 128 : of == Kind::f16 ? 16 : 1024;
    for (Word w : a[1]->words())
        if (w.i > most)
            wrong = {fmt::format("ldexp's exponent, {}, is over {}.", w.i, most), "use a smaller exponent."};
    return wrong;
}

std::optional<ConstFault> check_f16(const FunctionCall&, CheckedConstants a) {
    if (a[0] == nullptr) return {};
    std::optional<ConstFault> wrong;
    for (Word w : a[0]->words())
        if (std::fabs(w.f) > 65504.0)
            wrong = {fmt::format("{} is outside the range of 16-bit floats.", w.f),
                     "use values of magnitude at most 65504."};
    return wrong;
}

std::optional<ConstFault> check_number_of_lane(CheckedConstants a, std::int64_t most) {
    if (a[1] == nullptr || (a[1]->integer() >= 0 && a[1]->integer() <= most)) return {};
    return ConstFault{fmt::format("The second argument is {}, outside 0 to {}.", a[1]->integer(), most),
                      "use a number in that range."};
}
std::optional<ConstFault> check_lane(const FunctionCall&, CheckedConstants a) {
    return check_number_of_lane(a, limits::most_subgroup - 1);
}

std::optional<ConstFault> check_constant_lane(const FunctionCall& call, CheckedConstants a) {
    if (a[1] != nullptr) return check_lane(call, a);
    return ConstFault{"The second argument isn't a const-expression.", "use subgroupShuffle."};
}

std::optional<ConstFault> check_quad_lane(const FunctionCall& call, CheckedConstants a) {
    return a[1] != nullptr ? check_number_of_lane(a, 3) : check_constant_lane(call, a);
}

// Rows.

using D = Domain;
using A = ArgumentShape;
using enum Slot;

constexpr Signature unary(D domain) { return {domain, A::scalar_or_vector, {t}, t}; }
constexpr Signature binary(D domain) { return {domain, A::scalar_or_vector, {t, t}, t}; }
constexpr Signature lane(Slot which) { return {D::number, A::scalar_or_vector, {t, which}, t}; }
constexpr Signature ternary(D domain) { return {domain, A::scalar_or_vector, {t, t, t}, t}; }
constexpr Signature fixed(Slot parameter, Slot result) {
    return {D::number, A::scalar_or_vector, {parameter}, result};
}

// clang-format off
constexpr Overload table[] = {
    {"abs", unary(D::number), Op::abs, [](double x) { return std::fabs(x); },
     [](std::int64_t x) { return x < 0 && x != INT64_MIN ? -x : x; }},
    {"acos", unary(D::floating), Op::acos, [](double x) { return std::acos(x); }},
    {"acosh", unary(D::floating), Op::acosh, [](double x) { return std::acosh(x); }},
    {"all", {D::boolean, A::scalar_or_vector, {t}, b}, Op::all},
    {"any", {D::boolean, A::scalar_or_vector, {t}, b}, Op::any},
    {"asin", unary(D::floating), Op::asin, [](double x) { return std::asin(x); }},
    {"asinh", unary(D::floating), Op::asinh, [](double x) { return std::asinh(x); }},
    {"atan", unary(D::floating), Op::atan, [](double x) { return std::atan(x); }},
    {"atan2", binary(D::floating), Op::atan2, [](double y, double x) { return std::atan2(y, x); }},
    {"atanh", unary(D::floating), Op::atanh, [](double x) { return std::atanh(x); }},
    {"ceil", unary(D::floating), Op::ceil, [](double x) { return std::ceil(x); }},
    {"clamp", ternary(D::number), builtins::clamp, clamp<double>, clamp<std::int64_t>, check_bounds},
    {"cos", unary(D::floating), Op::cos, [](double x) { return std::cos(x); }},
    {"cosh", unary(D::floating), Op::cosh, [](double x) { return std::cosh(x); }},
    {"countLeadingZeros", unary(D::integer), Op::count_leading_zeros},
    {"countOneBits", unary(D::integer), Op::count_one_bits},
    {"countTrailingZeros", unary(D::integer), Op::count_trailing_zeros},
    {"cross", {D::floating, A::vec3, {t, t}, t}, builtins::cross, cross},
    {"degrees", unary(D::floating), builtins::degrees, [](double x) { return x * (180.0 / std::numbers::pi); }},
    {"determinant", {D::floating, A::square_matrix, {t}, s}, builtins::determinant, determinant},
    {"distance", {D::floating, A::scalar_or_vector, {t, t}, s}, builtins::distance, distance},
    {"dot", {D::number, A::vector, {t, t}, s}, builtins::dot,
     [](Constants a) { return Words{word(dot(a[0], a[1]))}; }, dot_of_integers},
    {"dot4I8Packed", {D::number, A::scalar_or_vector, {u, u}, i}, builtins::dot4_i8_packed},
    {"dot4U8Packed", {D::number, A::scalar_or_vector, {u, u}, u}, builtins::dot4_u8_packed},
    {"exp", unary(D::floating), Op::exp, [](double x) { return std::exp(x); }},
    {"exp2", unary(D::floating), Op::exp2, [](double x) { return std::exp2(x); }},
    {"extractBits", {D::integer, A::scalar_or_vector, {t, u, u}, t}, builtins::extract_bits, {}, {}, check_bits},
    {"faceForward", {D::floating, A::vector, {t, t, t}, t}, builtins::face_forward, face_forward},
    {"firstLeadingBit", unary(D::integer), builtins::first_leading_bit},
    {"firstTrailingBit", unary(D::integer), builtins::first_trailing_bit},
    {"floor", unary(D::floating), Op::floor, [](double x) { return std::floor(x); }},
    {"fma", ternary(D::floating), Op::fma, [](double x, double y, double z) { return std::fma(x, y, z); }},
    {"fract", unary(D::floating), builtins::fract, [](double x) { return x - std::floor(x); }},
    {"frexp", {D::floating, A::scalar_or_vector, {t}, Slot::frexp},
     [](IrBuilder& ir, NodeId e) {
         const builtins::Frexp parts = builtins::frexp(ir, e);
         return std::array{parts.fract, parts.exp};
     },
     split_exponent},
    {"insertBits", {D::integer, A::scalar_or_vector, {t, t, u, u}, t}, builtins::insert_bits, {}, {}, check_bits},
    {"inverseSqrt", unary(D::floating), Op::inverse_sqrt, [](double x) { return 1.0 / std::sqrt(x); }},
    {"ldexp", {D::floating, A::scalar_or_vector, {t, ti}, t}, builtins::ldexp, ldexp, {}, check_exponent},
    {"length", {D::floating, A::scalar_or_vector, {t}, s}, builtins::length,
     [](Constants a) { return Words{word(length(a[0]))}; }},
    {"log", unary(D::floating), Op::log, [](double x) { return std::log(x); }},
    {"log2", unary(D::floating), Op::log2, [](double x) { return std::log2(x); }},
    {"max", binary(D::number), Op::max, [](double x, double y) { return std::max(x, y); },
     [](std::int64_t x, std::int64_t y) { return std::max(x, y); }},
    {"min", binary(D::number), Op::min, [](double x, double y) { return std::min(x, y); },
     [](std::int64_t x, std::int64_t y) { return std::min(x, y); }},
    {"mix", ternary(D::floating), builtins::mix, mix},
    {"mix", {D::floating, A::vector, {t, t, s}, t}, builtins::mix, mix},
    {"modf", {D::floating, A::scalar_or_vector, {t}, Slot::modf},
     [](IrBuilder& ir, NodeId e) {
         const builtins::Modf parts = builtins::modf(ir, e);
         return std::array{parts.fract, parts.whole};
     },
     split_fraction},
    {"normalize", {D::floating, A::vector, {t}, t}, builtins::normalize, normalize},
    {"pack2x16float", fixed(vec2f, u), builtins::pack2x16_float, {}, {}, check_f16},
    {"pack2x16snorm", fixed(vec2f, u), builtins::pack2x16_snorm},
    {"pack2x16unorm", fixed(vec2f, u), builtins::pack2x16_unorm},
    {"pack4x8snorm", fixed(vec4f, u), builtins::pack4x8_snorm},
    {"pack4x8unorm", fixed(vec4f, u), builtins::pack4x8_unorm},
    {"pack4xI8", fixed(vec4i, u), builtins::pack4x_i8},
    {"pack4xI8Clamp", fixed(vec4i, u), builtins::pack4x_i8_clamp},
    {"pack4xU8", fixed(vec4u, u), builtins::pack4x_u8},
    {"pack4xU8Clamp", fixed(vec4u, u), builtins::pack4x_u8_clamp},
    {"pow", binary(D::floating), Op::pow, [](double x, double y) { return x < 0 ? std::nan("") : std::pow(x, y); }},
    {"quadBroadcast", {D::number, A::scalar_or_vector, {t, i}, t}, builtins::quad_broadcast, {}, {}, check_quad_lane},
    {"quadBroadcast", {D::number, A::scalar_or_vector, {t, u}, t}, builtins::quad_broadcast, {}, {}, check_quad_lane},
    {"quadSwapDiagonal", unary(D::number), [](IrBuilder& ir, NodeId e) { return builtins::quad_swap(ir, e, 3); }},
    {"quadSwapX", unary(D::number), [](IrBuilder& ir, NodeId e) { return builtins::quad_swap(ir, e, 1); }},
    {"quadSwapY", unary(D::number), [](IrBuilder& ir, NodeId e) { return builtins::quad_swap(ir, e, 2); }},
    {"quantizeToF16", unary(D::f32), builtins::quantize_to_f16, {}, {}, check_f16},
    {"radians", unary(D::floating), builtins::radians, [](double x) { return x * (std::numbers::pi / 180.0); }},
    {"reflect", {D::floating, A::vector, {t, t}, t}, builtins::reflect, reflect},
    {"refract", {D::floating, A::vector, {t, t, s}, t}, builtins::refract, refract},
    {"reverseBits", unary(D::integer), Op::reverse_bits},
    {"round", unary(D::floating), Op::round, [](double x) { return std::nearbyint(x); }},
    {"saturate", unary(D::floating), builtins::saturate, [](double x) { return clamp(x, 0.0, 1.0); }},
    {"select", {D::any, A::scalar_or_vector, {t, t, b}, t}, Op::select, select, select},
    {"select", {D::any, A::vector, {t, t, tb}, t}, Op::select, select, select},
    {"sign", unary(D::signed_number), builtins::sign, sign<double>, sign<std::int64_t>},
    {"sin", unary(D::floating), Op::sin, [](double x) { return std::sin(x); }},
    {"sinh", unary(D::floating), Op::sinh, [](double x) { return std::sinh(x); }},
    {"smoothstep", ternary(D::floating), builtins::smoothstep, smoothstep, {}, check_edges},
    {"sqrt", unary(D::floating), Op::sqrt, [](double x) { return std::sqrt(x); }},
    {"step", binary(D::floating), builtins::step, [](double edge, double x) { return edge <= x ? 1.0 : 0.0; }},
    {"subgroupAdd", unary(D::number), Op::subgroup_add},
    {"subgroupAll", fixed(b, b), builtins::subgroup_all},
    {"subgroupAnd", unary(D::integer), Op::subgroup_and},
    {"subgroupAny", fixed(b, b), builtins::subgroup_any},
    {"subgroupBallot", fixed(b, vec4u), Op::subgroup_ballot},
    {"subgroupBroadcast", lane(i), Op::subgroup_broadcast, {}, {}, check_constant_lane},
    {"subgroupBroadcast", lane(u), Op::subgroup_broadcast, {}, {}, check_constant_lane},
    {"subgroupBroadcastFirst", unary(D::number), Op::subgroup_broadcast_first},
    {"subgroupElect", {D::boolean, A::scalar_or_vector, {}, b}, builtins::subgroup_elect},
    {"subgroupExclusiveAdd", unary(D::number), Op::subgroup_exclusive_add},
    {"subgroupExclusiveMul", unary(D::number), Op::subgroup_exclusive_mul},
    {"subgroupInclusiveAdd", unary(D::number), Op::subgroup_inclusive_add},
    {"subgroupInclusiveMul", unary(D::number), Op::subgroup_inclusive_mul},
    {"subgroupMax", unary(D::number), Op::subgroup_max},
    {"subgroupMin", unary(D::number), Op::subgroup_min},
    {"subgroupMul", unary(D::number), Op::subgroup_mul},
    {"subgroupOr", unary(D::integer), Op::subgroup_or},
    {"subgroupShuffle", lane(i), Op::subgroup_shuffle, {}, {}, check_lane},
    {"subgroupShuffle", lane(u), Op::subgroup_shuffle, {}, {}, check_lane},
    {"subgroupShuffleDown", lane(u), Op::subgroup_shuffle_down, {}, {}, check_lane},
    {"subgroupShuffleUp", lane(u), Op::subgroup_shuffle_up, {}, {}, check_lane},
    {"subgroupShuffleXor", lane(u), Op::subgroup_shuffle_xor, {}, {}, check_lane},
    {"subgroupXor", unary(D::integer), Op::subgroup_xor},
    {"tan", unary(D::floating), Op::tan, [](double x) { return std::tan(x); }},
    {"tanh", unary(D::floating), Op::tanh, [](double x) { return std::tanh(x); }},
    {"transpose", {D::floating, A::matrix, {t}, transposed}, builtins::transpose, transpose},
    {"trunc", unary(D::floating), Op::trunc, [](double x) { return std::trunc(x); }},
    {"unpack2x16float", fixed(u, vec2f), builtins::unpack2x16_float},
    {"unpack2x16snorm", fixed(u, vec2f), builtins::unpack2x16_snorm},
    {"unpack2x16unorm", fixed(u, vec2f), builtins::unpack2x16_unorm},
    {"unpack4x8snorm", fixed(u, vec4f), builtins::unpack4x8_snorm},
    {"unpack4x8unorm", fixed(u, vec4f), builtins::unpack4x8_unorm},
    {"unpack4xI8", fixed(u, vec4i), builtins::unpack4x_i8},
    {"unpack4xU8", fixed(u, vec4u), builtins::unpack4x_u8},
};
// clang-format on
static_assert(std::ranges::is_sorted(table, {}, &Overload::name));

/// Alternative n of a Computation or AbstractFunction takes n arguments.
constexpr bool takes_its_parameters(const Overload& row) {
    const auto fits = [&](std::size_t n, std::size_t most) {
        return n == 0 || n > most || n == parameter_count(row.signature);
    };
    return fits(row.computation.index(), 4) && fits(row.floats.index(), 3) && fits(row.integers.index(), 3);
}
static_assert(std::ranges::all_of(table, takes_its_parameters));

}  // namespace

std::span<const Overload> function_table() { return table; }

}  // namespace muster::wgsl
