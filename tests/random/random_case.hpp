// random_case.hpp - the bindings and the grid for a random program (support/random_program.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <muster/conformance/case.hpp>

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
    test.bind["meeting"] =
        words(Scalar::u32, random_invocations, [](std::uint32_t i) { return i * 2246822519u; });
    test.bind["signals"] = words(Scalar::u32, random_counters, [](std::uint32_t) { return 0u; });
    const auto some_floats = [](std::uint32_t i) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(i % 97) * 0.75f - 20.0f);
    };
    const auto some_words = [](std::uint32_t i) { return i * 40503u; };
    for (const char* name : {"pairs", "rows", "odds", "wides", "own_pairs", "own_odds", "own_rows"})
        test.bind[name] = words(Scalar::f32, random_elements, some_floats);
    for (const char* name : {"triples", "quads", "own_triples", "own_quads"})
        test.bind[name] = words(Scalar::u32, random_elements, some_words);
    return test;
}

}  // namespace muster::testing
