#include <fmt/format.h>

#include <muster/c/kinds.hpp>
#include <muster/c/object.hpp>

namespace muster::c {

Answer<std::string> Object::json() const {
    return std::unexpected(
        Error{ErrorCode::unsupported, fmt::format("A {} has no JSON.", name_of_kind(kind())), {}, {}});
}

std::string_view Object::keep_text(std::int32_t property, std::size_t index, std::string text) const {
    const std::lock_guard lock(mutex_);
    std::string_view& kept = kept_[{property, index}];
    // A text that has changed is kept beside the old one, which a program may still have.
    if (kept.data() == nullptr || kept != text) kept = texts_.emplace_back(std::move(text));
    return kept;
}

std::unexpected<Fault> Object::no_property(std::int32_t property) const {
    return std::unexpected<Fault>(
        Error{ErrorCode::invalid_argument,
              fmt::format("A {} has no property {}.", name_of_kind(kind()), property),
              "muster.h lists the properties of each kind, MUSTER_ID and so on",
              {}});
}

}  // namespace muster::c
