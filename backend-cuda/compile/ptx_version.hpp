// ptx_version.hpp - PTX versions: each CUDA release writes its own into its PTX and refuses newer ones.
//
// Muster's kernels use no feature newer than CUDA 12.0, so PTX made by a newer toolkit becomes valid for an
// older driver by changing its version line. Pure. Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace muster::cuda {

/// The newest version that a driver for this CUDA (12040: 12.4) accepts: "8.4".
std::string newest_ptx(int cuda_version);
/// The version that the text declares; empty if it declares none.
std::string_view ptx_version(std::string_view text);
/// The same text with another version declared.
std::string with_ptx_version(std::string_view text, std::string_view version);

}  // namespace muster::cuda
