// npz.hpp - reads NumPy's archives of several arrays: .zip files of .npy files. Only npz.cpp knows minizip.
#pragma once

#include <string>

#include <muster/cli/support/file.hpp>

namespace muster::cli {

/// Returns the .npy file of the array with this name. Errors: not_found (the fix lists the names in the
/// archive), unsupported (encrypted), io_failed, limit_exceeded (as in read_file).
Result<Bytes> read_npz(const std::string& path, const std::string& name);

}  // namespace muster::cli
