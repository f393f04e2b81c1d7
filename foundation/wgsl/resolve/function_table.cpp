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

std::array<NodeId, 2> parts_of_frexp(IrBuilder& ir, NodeId e) {
    const builtins::Frexp parts = builtins::frexp(ir, e);
    return {parts.fract, parts.exp};
}
std::array<NodeId, 2> parts_of_modf(IrBuilder& ir, NodeId e) {
    const builtins::Modf parts = builtins::modf(ir, e);
    return {parts.fract, parts.whole};
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

// The table, of functions.def.

using D = Domain;
using A = ArgumentShape;
using enum Slot;

/// The domains of functions.def: the types that a function's T may be.
namespace domains {
struct Types {
    D domain;
    A shape = A::scalar_or_vector;
};
constexpr Types boolean{D::boolean}, integer{D::integer}, floating{D::floating}, floating_32{D::f32},
    signed_number{D::signed_number}, number{D::number}, fixed{D::number}, any{D::any},
    any_vector{D::any, A::vector}, number_vector{D::number, A::vector},
    floating_vector{D::floating, A::vector}, floating_vec3{D::floating, A::vec3},
    matrix{D::floating, A::matrix}, square_matrix{D::floating, A::square_matrix};
}  // namespace domains

#define MUSTER_LIST(...) __VA_ARGS__
#define MUSTER_OVERLOAD(name, t, parameters, result, ...) \
    Overload{name, {domains::t.domain, domains::t.shape, {MUSTER_LIST parameters}, result}, __VA_ARGS__},
constexpr Overload table[] = {
#define MUSTER_OPERATION(wgsl, op, t, parameters, result, ...) \
    MUSTER_OVERLOAD(wgsl, t, parameters, result, Op::op __VA_OPT__(, ) __VA_ARGS__)
#define MUSTER_EXPANSION(wgsl, function, t, parameters, result, ...) \
    MUSTER_OVERLOAD(wgsl, t, parameters, result, builtins::function __VA_OPT__(, ) __VA_ARGS__)
#define MUSTER_FIXED(wgsl, function, parameter, result, ...) \
    MUSTER_OVERLOAD(wgsl, fixed, (parameter), result, builtins::function __VA_OPT__(, ) __VA_ARGS__)
#define MUSTER_WGSL(...) MUSTER_OVERLOAD(__VA_ARGS__)
#include <muster/foundation/build/functions.def>
};
#undef MUSTER_OVERLOAD
#undef MUSTER_LIST
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
