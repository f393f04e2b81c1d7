// prelude.hpp - what stands in front of the kernel: the small functions and types that it uses, and no other.
//
//     prelude.require("div_i32");                    // one of the table in prelude.cpp
//     prelude.add("float3 operator+", definition);   // one that is made as needed
//
// What integers do that C++ leaves undefined (wrap, divide by zero), and where CUDA's functions differ from WGSL's
// (min, max, conversions), is in these functions, so that the kernel can be read. Threads: one.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace muster::cuda {

class Prelude {
  public:
    /// Of the table; what isn't in it is CUDA's own.
    void require(std::string_view function);
    /// Once by key; in the order in which they are first asked for.
    void add(const std::string& key, std::string_view definition);
    bool has(const std::string& key) const { return known_.contains(key); }
    const std::string& text() const { return text_; }

  private:
    std::unordered_set<std::string> known_;
    std::string text_;
};

}  // namespace muster::cuda
