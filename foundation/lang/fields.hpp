// fields.hpp - the fields of a plain C++ struct and what they are called. C++ has no reflection yet, so the names
// are read from what the compiler calls a pointer to each. Internal to lang.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include <muster/foundation/lang/field_pointers.hpp>

namespace muster::lang::detail {

template <class T>
using Fields = decltype(fields(std::declval<T&>()));

/// What has the fields that are named: it is never made.
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

// What compilers write after a name is measured with one that is known.
struct Known {
    char known;
};
inline constexpr std::string_view known_field = spelled<&unmade<Known>.object.known>();
inline constexpr std::size_t after_field = known_field.size() - known_field.rfind("known") - 5;
inline constexpr std::size_t before_type = spelled_type<void>().find("void");
inline constexpr std::size_t after_type = spelled_type<void>().size() - before_type - 4;

/// "mass".
template <class T, std::size_t k>
constexpr std::string_view field_name() {
    std::string_view text = spelled<std::get<k>(fields(unmade<T>.object))>();
    text.remove_suffix(after_field);
    return text.substr(text.find_last_of(":.") + 1);
}

/// "Particle", of a me::Particle too.
template <class T>
constexpr std::string_view type_name() {
    std::string_view text = spelled_type<T>();
    text.remove_prefix(before_type);
    text.remove_suffix(after_type);
    std::size_t end = text.size();
    // The scopes of template arguments don't count.
    for (int depth = text.ends_with('>') ? 1 : 0; depth > 0;) {
        --end;
        depth += (text[end - 1] == '>') - (text[end - 1] == '<');
    }
    const std::size_t scope = text.rfind("::", end - 1);
    return scope == text.npos ? text : text.substr(scope + 2);
}

}  // namespace muster::lang::detail
