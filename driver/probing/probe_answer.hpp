// probe_answer.hpp - a probe's result as text, which the helper of isolated probes writes to its pipe.
//
//     muster probe 1 / abi muster 0.1.0 contract 5 libstdc++ ... / state 0 / devices 1 / ordinal 0 / name 11:NVIDIA H200 / ... / end
//
// One `key value` per line, texts preceded by their length, in a fixed order. Text from a different build is
// refused. Reading gives a result or an error, whatever the bytes. Pure.
#pragma once

#include <string>
#include <string_view>

#include <muster/driver/probing/probe_result.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster::probing {
MUSTER_API_BEGIN

/// Writes a result, without `took`.
std::string probe_answer(const ProbeResult& result);

/// Reads a result; `took` stays zero. Errors: io_failed, with the line that isn't understood.
Result<ProbeResult> read_probe_answer(std::string_view text);

MUSTER_API_END
}  // namespace muster::probing
