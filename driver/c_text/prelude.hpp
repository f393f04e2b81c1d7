// prelude.hpp - the text before the kernel: the helper functions and types that it uses, and no others.
//
//     prelude.call("div_i32");                       // its definition, from the dialect or the table in prelude.cpp
//     prelude.add("float3 operator+", definition);   // made as needed
//
// Helpers cover integer arithmetic that C leaves undefined (overflow, division by zero) and functions that
// languages define differently (min, max, conversions), which keeps the kernel readable. Threads: one.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include <muster/driver/c_text/syntax.hpp>

namespace muster::c_text {

class Prelude {
  public:
    Prelude(const Dialect& dialect, const Syntax& syntax) : dialect_(dialect), syntax_(syntax) {}

    /// The name by which a Function (dialect.hpp) is called; adds its definition if it has one. Other
    /// names are the language's own.
    std::string_view call(std::string_view function);
    /// Adds a definition, once per key, in the order of the first requests.
    void add(const std::string& key, std::string_view definition);
    bool has(const std::string& key) const { return known_.contains(key); }
    const std::string& text() const { return text_; }

  private:
    std::string expanded(std::string_view definition);

    const Dialect& dialect_;
    const Syntax& syntax_;
    std::unordered_set<std::string> known_;
    std::string text_;
};

/// True if the text may call a function of this name.
bool is_called(const Dialect& dialect, std::string_view name);

}  // namespace muster::c_text
