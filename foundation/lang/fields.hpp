// fields.hpp - the fields of a plain C++ struct, and their names. C++ has no reflection yet, so the names are
// read from the compiler's spelling of pointers to the fields. Internal to lang.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include <muster/foundation/lang/field_pointers.hpp>

namespace muster::lang::detail {

template <class T>
using Fields = decltype(fields(std::declval<T&>()));

/// Provides addresses of fields for field_name(); its object is never constructed.
template <class T>
union Unmade {
    constexpr Unmade() : nothing() {}
    char nothing;
    T object;
};
template <class T>
inline Unmade<T> unmade;

template <auto* pointer>
constexpr std::string_view spelled() {
    return __PRETTY_FUNCTION__;
}
template <class T>
constexpr std::string_view spelled_type() {
    return __PRETTY_FUNCTION__;
}

// A known name shows how many characters the compiler writes around a name.
struct Known {
    char known;
};
inline constexpr std::string_view known_field = spelled<&unmade<Known>.object.known>();
inline constexpr std::size_t after_field = known_field.size() - known_field.rfind("known") - 5;
inline constexpr std::size_t before_type = spelled_type<void>().find("void");
inline constexpr std::size_t after_type = spelled_type<void>().size() - before_type - 4;

/// A field's name: "mass".
template <class T, std::size_t k>
constexpr std::string_view field_name() {
    std::string_view text = spelled<std::get<k>(fields(unmade<T>.object))>();
    text.remove_suffix(after_field);
    return text.substr(text.find_last_of(":.") + 1);
}

/// A type's name without its scope: "Particle" for me::Particle.
template <class T>
constexpr std::string_view type_name() {
    std::string_view text = spelled_type<T>();
    text.remove_prefix(before_type);
    text.remove_suffix(after_type);
    std::size_t end = text.size();
    // Skips scopes within template arguments.
    for (int depth = text.ends_with('>') ? 1 : 0; depth > 0;) {
        --end;
        depth += (text[end - 1] == '>') - (text[end - 1] == '<');
    }
    const std::size_t scope = text.rfind("::", end - 1);
    return scope == text.npos ? text : text.substr(scope + 2);
}

}  // namespace muster::lang::detail
