// npz.hpp - NumPy's archives of several arrays: a .zip of .npy files. libzip is known to npz.cpp alone.
#pragma once

#include <string>

#include <muster/cli/file.hpp>

namespace muster::cli {

/// The bytes of the .npy that holds the array of this name. Errors: not_found (with the names that there are),
/// unsupported (encrypted), io_failed, limit_exceeded (as read_file).
Result<Bytes> read_npz(const std::string& path, const std::string& name);

}  // namespace muster::cli
