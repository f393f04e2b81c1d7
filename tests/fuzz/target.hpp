// target.hpp - what a fuzz target does with one text. fuzzer.cpp calls it from libFuzzer, replay.cpp from a plain program.
//
// Each target defines check(): it gives the text to muster, compares results that have to agree, and calls expect() on each
// fact. Bad texts are no failures: what counts is that muster refuses them with an error. Threads: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/foundation/validate/validate.hpp>

namespace muster::fuzz {

/// The longest text that is tried; longer ones are slow and find no more.
inline constexpr std::size_t most_bytes = 16 << 10;

/// Defined by each target.
void check(std::string_view text);

/// Ends the program, with the fact that doesn't hold and its details, unless it holds.
void expect(bool holds, std::string_view fact, std::string_view details = {});

/// The text's program, if the text has one that is small enough to be tried: invocations in a workgroup, memory, nodes.
std::optional<ValidProgram> small_program(std::string_view text);

}  // namespace muster::fuzz
