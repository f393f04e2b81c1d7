// random_case.hpp - the bindings and the grid for a random program (support/random_program.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <muster/conformance/case.hpp>
#include <muster/foundation/base/f16.hpp>

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
    for (const char* name :
         {"pairs", "rows", "odds", "wides", "frames", "own_pairs", "own_odds", "own_rows", "own_frames"})
        test.bind[name] = words(Scalar::f32, random_elements, some_floats);
    for (const char* name : {"triples", "quads", "own_triples", "own_quads"})
        test.bind[name] = words(Scalar::u32, random_elements, some_words);
    // Two in a word.
    const auto half = [](std::uint32_t i) -> std::uint32_t {
        return f16(static_cast<float>(i % 97) * 0.75f - 20.0f).bits();
    };
    const auto some_halves = [&](std::uint32_t i) { return half(2 * i) | half(2 * i + 1) << 16; };
    // Some are subnormal, infinite or -0; as an f32, such a word could be subnormal.
    const auto all_halves = [&](std::uint32_t i) {
        constexpr std::uint32_t special[] = {0x0001, 0x7c00, 0x8000, 0x03ff};
        return i % 11 == 5 ? (some_halves(i) & 0xffffu) | special[i / 11 % 4] << 16 : some_halves(i);
    };
    test.bind["fractions"] = words(Scalar::f16, random_inputs / 2, all_halves);
    for (const char* name : {"halves", "thirds", "own_halves", "own_thirds", "own_packs"})
        test.bind[name] = words(Scalar::f16, random_elements, all_halves);
    test.bind["mixed"] = words(Scalar::f16, random_elements, some_halves);
    const auto four = [](std::uint32_t i) { return i * 2654435761u ^ i << 9; };
    test.bind["bytes"] = words(Scalar::u8, random_elements / 2, four);
    test.bind["own_bytes"] = words(Scalar::u8, random_elements / 4, four);
    test.bind["shorts"] = words(Scalar::i16, random_elements / 2, four);
    test.bind["own_smalls"] = words(Scalar::u8, random_elements * 2, four);
    const auto half_of_double = [](std::uint32_t i) {
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(i / 2 % 97) * 0.7 - 20.0);
        return static_cast<std::uint32_t>(i % 2 == 0 ? bits : bits >> 32);
    };
    test.bind["doubles"] = words(Scalar::f64, random_elements, half_of_double);
    test.bind["own_longs"] = words(Scalar::f64, random_elements * 8, half_of_double);
    test.bind["wide_totals"] = words(Scalar::u64, 6, some_words);
    test.bind["totals"] = words(Scalar::f32, 3, [](std::uint32_t) { return 0u; });
    test.bind["settings"] = words(Scalar::f16, 20, some_halves);
    return test;
}

}  // namespace muster::testing
