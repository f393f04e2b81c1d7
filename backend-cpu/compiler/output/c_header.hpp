// c_header.hpp - writes the C header of an emitted kernel: C99 and C++, self-contained,
// usage as comments. Pure.
#pragma once

#include <string>
#include <string_view>

#include <muster/backend-cpu/compiler/output/c_interface.hpp>
#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

/// `arch`: CompileTarget::arch.
std::string c_header(const Program& program, const CInterface& interface, std::string_view arch,
                     const CompileOptions& options);

}  // namespace muster::cpu
