// exports.hpp - what imports and exports of DLPack tensors have in common.
#pragma once

#include <string>

#include <muster/c/dlpack.hpp>

namespace muster::c {

/// Whether to copy: the reason, or empty. `why`: why a copy is needed; empty: it isn't. Errors: refused, if
/// it is needed and isn't allowed; invalid_argument (no such way to copy).
Answer<std::string> copies(std::uint32_t copy, std::string why);

/// The tensor that is asked for, over memory of so many bytes; its data and what keeps them are the caller's
/// to fill in. Errors: invalid_argument, limit_exceeded.
Answer<GivenTensor> read_export(const muster_export_options& options, std::uint32_t element,
                                std::uint64_t bytes);

}  // namespace muster::c
