#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include <muster/conformance/deviations.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {
namespace {

constexpr std::size_t inputs = 4096;

struct Operands {
    std::vector<float> x, y, z;
};

struct Operation {
    const char* name;
    const char* expression;  // of x[i], y[i] and z[i]
    Promise Exactness::*promise;
    Operands (*operands)();
    bool always_native;     // exact mode uses the device's own whatever it promises
    bool rounds_a_product;  // errors are counted in units of x[i] * y[i], which may cancel
};

float power_of_two(int exponent) { return std::ldexp(1.0f, exponent); }

/// Floats of both signs whose exponents are in the range.
std::vector<float> floats(unsigned seed, int lowest, int highest, bool positive) {
    std::mt19937 random(seed);
    std::vector<float> all(inputs);
    for (float& value : all) {
        const auto exponent =
            lowest + static_cast<int>(random() % static_cast<unsigned>(highest - lowest + 1));
        value = (1.0f + static_cast<float>(random() >> 9) * 0x1p-23f) * power_of_two(exponent);
        if (!positive && (random() & 1u) != 0) value = -value;
    }
    return all;
}

// Every operand and result is a normal number, but for those of subnormals().
Operands for_division() {
    return {floats(1, -60, 60, false), floats(2, -60, 60, false), floats(3, 0, 0, true)};
}
Operands for_square_root() {
    return {floats(4, -126, 127, true), floats(5, 0, 0, true), floats(6, 0, 0, true)};
}
Operands for_fma() {
    Operands all{floats(7, -20, 20, false), floats(8, -20, 20, false), floats(9, -40, 40, false)};
    // Half of the sums cancel: what is left is what rounding the product would lose.
    for (std::size_t i = 0; i < inputs; i += 2) all.z[i] = -(all.x[i] * all.y[i]);
    return all;
}
Operands for_subnormals() {
    Operands all{floats(10, -126, -120, false), floats(11, -20, -8, true), floats(12, 0, 0, true)};
    // Half are subnormal results; half subnormal operands with normal results.
    for (std::size_t i = 0; i < inputs; i += 2) {
        all.x[i] *= 0x1p-13f;
        all.y[i] = power_of_two(100);
    }
    return all;
}

const Operation operations[] = {
    {"x / y", "x[i] / y[i]", &Exactness::division, for_division, false, false},
    {"sqrt(x)", "sqrt(x[i])", &Exactness::square_root, for_square_root, false, false},
    {"fma(x, y, z)", "fma(x[i], y[i], z[i])", &Exactness::fma, for_fma, false, true},
    {"subnormals", "x[i] * y[i]", &Exactness::subnormals, for_subnormals, true, false},
};

Values values_of(const std::vector<float>& from) {
    Values values{Scalar::f32, {}};
    for (const float value : from) values.words.push_back(std::bit_cast<std::uint32_t>(value));
    return values;
}

Case case_of(const Operation& operation) {
    const Operands operands = operation.operands();
    Case test{.name = operation.name};
    test.text = fmt::format(
        "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read> y: array<f32>;\n"
        "@group(0) @binding(2) var<storage, read> z: array<f32>;\n"
        "@group(0) @binding(3) var<storage, read_write> out: array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{\n"
        "    let i = id.x;\n"
        "    out[i] = select({}, 0, z[i] == 0);\n"
        "}}\n",
        operation.expression);
    test.grid = Invocations{inputs};
    test.bind = {{"x", values_of(operands.x)}, {"y", values_of(operands.y)}, {"z", values_of(operands.z)}};
    test.bind["out"] = {Scalar::f32, std::vector<std::uint32_t>(inputs)};
    return test;
}

/// The error in units of the last place of a number of the size `scale`; infinite if it isn't finite.
double error_in_ulp(float expected, float actual, float scale) {
    if (!std::isfinite(actual)) return std::numeric_limits<double>::infinity();
    const float size = std::max({std::abs(scale), std::abs(expected), std::numeric_limits<float>::min()});
    const double ulp = std::ldexp(1.0, std::ilogb(size) - 23);
    return std::abs(static_cast<double>(expected) - static_cast<double>(actual)) / ulp;
}

Result<void> measure(Trials& trials, const Operation& operation, Deviation& to) {
    const Case test = case_of(operation);
    const ValidProgram program = TRY(test.program());
    const Outputs expected = TRY(run_interpreted(test, program, 1));
    const Outputs actual = TRY(trials.run(test, program, {.precision = to.mode}));
    to.inputs = inputs;
    for (std::size_t i = 0; i < inputs; ++i) {
        if (expected.back().words[i] == actual.back().words[i]) continue;
        ++to.differing;
        const auto number = [&](const Values& values) { return std::bit_cast<float>(values.words[i]); };
        const float scale = operation.rounds_a_product ? number(expected[0]) * number(expected[1]) : 0;
        to.largest_ulp =
            std::max(to.largest_ulp, error_in_ulp(number(expected.back()), number(actual.back()), scale));
    }
    return {};
}

}  // namespace

std::vector<Deviation> measure_deviations(Trials& trials) {
    std::vector<Deviation> all;
    for (const Operation& operation : operations) {
        const Promise promise = trials.device().exactness.*operation.promise;
        Deviation one{.operation = operation.name, .promise = promise};
        if (promise == Promise::no && !operation.always_native) one.mode = Precision::fast;
        if (const auto measured = measure(trials, operation, one); !measured)
            one.not_measured = measured.error().message;
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace muster::conformance
