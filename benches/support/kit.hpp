// kit.hpp - tools of the benchmarks of a backend's devices. Errors end the program.
#pragma once

#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "contest.hpp"
#include "kernel_kit.hpp"

namespace muster::bench {

/// The backend's device with this ordinal, or the first whose name contains `wanted`; if that is empty, the
/// first.
DeviceInfo choose_device(const std::string& backend, const std::string& wanted);
/// A session on this device only.
Session open_session(const std::string& backend, std::uint32_t ordinal);

/// The words of a muster buffer.
Words words(const Buffer& from);
template <class T>
Words bits(const std::vector<T>& of) {
    Words all;
    all.reserve(of.size());
    for (const T x : of) all.push_back(std::bit_cast<std::uint32_t>(x));
    return all;
}

/// Our contender for a contest's list: `run`, whose result is in `out`, which has the
/// contents `start` before.
Contender ours(const std::function<void()>& run, const Buffer& out, const Words& start);

}  // namespace muster::bench
