// lowering.hpp - programs as code in the device's language. Pure: the same arguments give the same bytes; no device, driver,
// file or environment.
#pragma once

#include <muster/backend_sdk.hpp>

namespace backend_mine {

/// The name of the language, as `muster emit --format` takes it.
inline constexpr const char* text_format = "wgsl";

/// The program's code. Its operations are among supported_ops(), and what exact mode needs beyond the target's promises
/// is written out already: docs/ir.md, "Expansion".
muster::Result<muster::Artifact> lower(const muster::ValidProgram& program, std::string target,
                                       const muster::CompileOptions& options);

}  // namespace backend_mine
