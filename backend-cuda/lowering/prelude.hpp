// prelude.hpp - the text before the kernel: the helper functions and types that it uses, and no others.
//
//     prelude.require("div_i32");                    // from the table in prelude.cpp
//     prelude.add("float3 operator+", definition);   // made as needed
//
// Helpers cover integer arithmetic that C++ leaves undefined (overflow, division by zero) and CUDA functions
// that differ from WGSL's (min, max, conversions), which keeps the kernel readable. Threads: one.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace muster::cuda {

class Prelude {
  public:
    /// Adds a function of the table. Other names are CUDA's own and need no definition.
    void require(std::string_view function);
    /// Adds a definition, once per key, in the order of the first requests.
    void add(const std::string& key, std::string_view definition);
    bool has(const std::string& key) const { return known_.contains(key); }
    const std::string& text() const { return text_; }

  private:
    std::unordered_set<std::string> known_;
    std::string text_;
};

}  // namespace muster::cuda
