// kit.hpp - tools of the benchmarks of a backend's devices. Errors end the program.
#pragma once

#include <bit>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "contest.hpp"

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

/// The backend's device with this ordinal, or the first whose name contains `wanted`; if that is empty, the
/// first.
DeviceInfo choose_device(const std::string& backend, const std::string& wanted);
/// A session on this device only.
Session open_session(const std::string& backend, std::uint32_t ordinal);

/// The text of a file in the source folder.
std::string read_text(const std::string& path);
Kernel prepare(Session& session, const std::string& text, Precision precision,
               std::vector<wgsl::OverrideValue> overrides = {});

/// The words of a muster buffer.
Words words(const Buffer& from);
template <class T>
Words bits(const std::vector<T>& of) {
    Words all;
    all.reserve(of.size());
    for (const T x : of) all.push_back(std::bit_cast<std::uint32_t>(x));
    return all;
}

using Floats = std::vector<float>;
/// Random floats in [low, high), the same each time.
Floats random_floats(std::size_t count, float low, float high);

/// The text of an override's value.
inline std::string text(std::uint64_t x) { return std::to_string(x); }

/// Our contender for a contest's list: `run`, whose result is in `out`, which has the
/// contents `start` before.
Contender ours(const std::function<void()>& run, const Buffer& out, const Words& start);

}  // namespace muster::bench
