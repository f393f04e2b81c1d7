// ptx_version.hpp - versions of PTX: each CUDA has its own, writes it into what it makes, and refuses newer ones.
//
// What this backend makes uses nothing that is newer than CUDA 12.0, so that PTX of a newer Toolkit is PTX of an older
// version too, but for its first line. Pure. Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace muster::cuda {

/// That a driver for this CUDA (12040: 12.4) takes: "8.4".
std::string newest_ptx(int cuda_version);
/// That the text says it is of; empty where it doesn't say.
std::string_view ptx_version(std::string_view text);
/// The same text, said to be of another version.
std::string with_ptx_version(std::string_view text, std::string_view version);

}  // namespace muster::cuda
