// text.hpp - whether texts and errors hold what a test expects, and numbers from the environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/foundation/base/result.hpp>

namespace muster::test {

/// True if the text has this part; otherwise the test's messages show the text.
inline bool has(std::string_view text, std::string_view part) {
    const bool found = text.find(part) != std::string_view::npos;
    if (!found) MESSAGE(std::string(text.substr(0, 2000)));
    return found;
}

/// True if the error's text has this part.
inline bool mentions(const Error& error, std::string_view part) {
    return error.to_string().find(part) != std::string::npos;
}

/// The number in an environment variable, or `otherwise`.
inline std::uint64_t number_in_environment(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace muster::test
