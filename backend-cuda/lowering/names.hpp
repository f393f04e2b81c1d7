// names.hpp - makes identifiers that are legal in CUDA C++, unique, and hide nothing that the text uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace muster::cuda {

/// Returns `name` if user code in CUDA C++ may use it as an identifier. Otherwise replaces illegal characters
/// by underscores, and appends an underscore to reserved words (`main_`, `float4_`).
std::string legal_name(std::string_view name);

/// Name of a kernel or structure at namespace scope. Also appends an underscore to names that CUDA or C's
/// library declares there (`exp_`).
std::string kernel_name(std::string_view name);

class Names {
  public:
    /// Returns a legal form of `name`, numbered (`name_2`, `name_3`, ...) if it was given before.
    std::string unique_name(std::string_view name);

  private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::uint32_t> last_number_;
};

}  // namespace muster::cuda
