// kernel_kit.hpp - tools of the benchmarks of kernels: files, kernels, data. Errors end the program.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::bench {

template <class T>
T must(Result<T> result) {
    if (result) {
        if constexpr (std::is_void_v<T>)
            return;
        else
            return *std::move(result);
    }
    fmt::print(stderr, "{}\n", result.error().to_string());
    std::exit(1);
}

/// The text of a file in the source folder.
std::string read_text(const std::string& path);
Kernel prepare(Session& session, const std::string& text, Precision precision,
               std::vector<wgsl::OverrideValue> overrides = {});

using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;
/// Random floats in [low, high), the same each time.
Floats random_floats(std::size_t count, float low, float high);
/// Random words, the same each time.
Words random_words(std::size_t count);

/// The text of an override's value.
inline std::string text(std::uint64_t x) { return std::to_string(x); }

}  // namespace muster::bench
