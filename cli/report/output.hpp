// output.hpp - the results of a kernel: checksums, previews and files.
#pragma once

#include <cstdint>
#include <string>

#include <muster/cli/input/layout.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cli {

/// XXH3-64 of the binding's bytes as laid out, with every NaN replaced by 0x7fc00000.
std::uint64_t checksum(const TypeTable& types, TypeId type, const HostBuffer& buffer);

/// The first numbers, separated by spaces, and "..." if there are more than `most`.
std::string preview(const TypeTable& types, TypeId type, const HostBuffer& buffer, std::size_t most = 8);

/// Writes a binding's value: .npy, .png, .bin by the path's extension; "-" prints one element per line.
/// Errors: invalid_argument (another extension, a form that doesn't fit the type), io_failed.
Result<void> write_output(const Variable& variable, const TypeTable& types, const HostBuffer& buffer,
                          const std::string& path);

/// Checks before anything runs whether write_output() supports this type and path.
Result<void> check_output(const Variable& variable, const TypeTable& types, const std::string& path);

}  // namespace muster::cli
