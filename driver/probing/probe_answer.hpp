// probe_answer.hpp - a probe's result as text: what the helper of isolated probes writes to its pipe.
//
//     muster probe 1 / abi muster 0.1.0 libstdc++ ... / state 0 / devices 1 / ordinal 0 / name 11:NVIDIA H200 / ... / end
//
// One `key value` per line, texts with their length in front, in a fixed order. Both sides are of one build, and what is of
// another one is refused. Whatever bytes are read, the answer is a result or an error. Pure.
#pragma once

#include <string>
#include <string_view>

#include <muster/driver/probing/probe_result.hpp>

namespace muster {

std::string probe_answer(const ProbeResult& result);

/// Without `took`. Errors: io_failed, with the line that isn't understood.
Result<ProbeResult> read_probe_answer(std::string_view text);

}  // namespace muster
