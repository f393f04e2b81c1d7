// random_case.hpp - the bindings and the grid that a random program (support/random_program.hpp) is run with.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "conformance/case.hpp"
#include "support/random_program.hpp"

namespace muster::testing {

inline conformance::Case random_case(const std::string& text) {
    using conformance::Values;
    conformance::Case test{.name = "random", .text = text, .grid = Workgroups{random_workgroups, 1, 1}};
    const auto words = [](Scalar scalar, std::uint32_t count, auto value) {
        Values values{scalar, {}};
        for (std::uint32_t i = 0; i < count; ++i) values.words.push_back(value(i));
        return values;
    };
    test.bind["words"] = words(Scalar::u32, random_inputs, [](std::uint32_t i) { return i * 2654435761u; });
    test.bind["numbers"] = words(Scalar::f32, random_inputs, [](std::uint32_t i) {
        return std::bit_cast<std::uint32_t>((static_cast<float>(i) - 13.0f) * 0.37f);
    });
    test.bind["out"] =
        words(Scalar::u32, random_invocations * random_slots, [](std::uint32_t i) { return i; });
    test.bind["counters"] = words(Scalar::u32, random_counters, [](std::uint32_t) { return 5u; });
    return test;
}

}  // namespace muster::testing
