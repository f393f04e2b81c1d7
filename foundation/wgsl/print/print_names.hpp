// print_names.hpp - makes identifiers for printed programs: valid, unique, and hiding no
// word that the text uses.
//
// Internal to print*.cpp and validation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <muster/foundation/wgsl/tokens/identifier.hpp>

namespace muster::wgsl {

/// Returns `name` if it is a WGSL identifier, otherwise a valid form of it with other characters replaced by
/// underscores.
std::string valid_name(std::string_view name);

/// Spells WGSL's predeclared words, also if the module's own names hide them.
class PredeclaredWords {
  public:
    void hide(std::string name) { hidden_.insert(std::move(name)); }
    std::string operator()(std::string_view word) const;
    /// True if a hidden word was used.
    bool needs_enable() const { return needs_enable_; }

  private:
    std::unordered_set<std::string> hidden_;
    mutable bool needs_enable_ = false;
};

class NameSet {
  public:
    /// Returns a valid form of `name`, numbered (`name_1`, `name_2`, ...) if it was given before.
    std::string unique_name(std::string_view name);
    /// Returns `prefix` with the next free number, from 1.
    std::string numbered_name(std::string_view prefix);
    void reserve(std::string_view name) { taken_.emplace(name); }

  private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::uint32_t> last_number_;
};

}  // namespace muster::wgsl
