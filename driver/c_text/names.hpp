// names.hpp - makes identifiers that are legal in a language, unique, and hide nothing that the text uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <muster/driver/c_text/dialect.hpp>

namespace muster::c_text {

/// Returns `name` if user code may use it as an identifier. Otherwise replaces illegal characters by
/// underscores, and appends an underscore to reserved words (`main_`, `float4_`).
std::string legal_name(const Dialect& dialect, std::string_view name);

/// Name of a kernel or structure at namespace scope. Also appends an underscore to names that the language or
/// C's library declares there (`exp_`).
std::string kernel_name(const Dialect& dialect, std::string_view name);

/// The names that a text of the language declares outside of functions, and its macros.
std::vector<std::string> declared_names(std::string_view text);

class Names {
  public:
    explicit Names(const Dialect& dialect) : dialect_(dialect) {}
    /// Gives this name to nothing.
    void reserve(std::string name) { taken_.insert(std::move(name)); }
    /// Returns a legal form of `name`, numbered (`name_2`, `name_3`, ...) if it was given before.
    std::string unique_name(std::string_view name);

  private:
    const Dialect& dialect_;
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::uint32_t> last_number_;
};

}  // namespace muster::c_text
