// names.hpp - identifiers for the text: legal in CUDA C++, unique, and none that hides what the text uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace muster::cuda {

/// `name` itself where it is an identifier that is free for users of CUDA C++. Else what is left of it: each other
/// character an underscore, and one behind a reserved word (`main_`, `float4_`).
std::string legal_name(std::string_view name);

/// A kernel's or a structure's, beside which stands what CUDA and C's library declare: that gets an underscore, too (`exp_`).
std::string kernel_name(std::string_view name);

class Names {
  public:
    /// A legal name like this one that wasn't given before; `name_2`, `name_3`, ... where it was.
    std::string give(std::string_view name);

  private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::uint32_t> last_number_;
};

}  // namespace muster::cuda
