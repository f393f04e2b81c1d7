// print_names.hpp - identifiers for printed programs: valid, unique, and none that hides what the text uses.
// Internal to print*.cpp and validation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <muster/foundation/wgsl/tokens/lexer.hpp>

namespace muster::wgsl {

/// `name` itself where it is a WGSL identifier, else what is left of it with its other characters as
/// underscores.
std::string valid_name(std::string_view name);

/// WGSL's own words as a text may write them, where its module's names hide some.
class PredeclaredWords {
  public:
    void hide(std::string name) { hidden_.insert(std::move(name)); }
    std::string operator()(std::string_view word) const;
    /// Whether a hidden one was asked for.
    bool needs_enable() const { return needs_enable_; }

  private:
    std::unordered_set<std::string> hidden_;
    mutable bool needs_enable_ = false;
};

class NameSet {
  public:
    /// A valid name like this one that wasn't given before; `name_1`, `name_2`, ... where it was.
    std::string give(std::string_view name);
    /// The next of `prefix` and a number from 1.
    std::string give_numbered(std::string_view prefix);
    void reserve(std::string_view name) { taken_.emplace(name); }

  private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::uint32_t> last_number_;
};

}  // namespace muster::wgsl
