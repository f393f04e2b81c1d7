// options.hpp - the options of a benchmark: pairs of a name and a value. One that isn't there ends the program.
//
//     parse_options(argc, argv, {{"--only", &options.only}, {"--rounds", &options.rounds}},
//                   "bench_cuda [--only PART-OF-A-NAME] [--rounds 15]");
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>

namespace muster::bench {

struct Option {
    std::string_view name;
    /// Where the value goes. Numbers are 1 at least; a flag is off if its value is 0.
    std::variant<std::string*, bool*, int*, long*, std::uint32_t*, std::size_t*> to;
};

inline void set_option(std::string* to, const std::string& value) { *to = value; }
inline void set_option(bool* to, const std::string& value) { *to = value != "0"; }
template <class Number>
void set_option(Number* to, const std::string& value) {
    *to = static_cast<Number>(std::max(1l, std::atol(value.c_str())));
}

inline void parse_options(int argc, char** argv, std::initializer_list<Option> options,
                          std::string_view usage) {
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        const auto* const found = std::ranges::find(options, name, &Option::name);
        if (found == options.end()) {
            fmt::print(stderr, "{} isn't an option.\nFix: {}\n", name, usage);
            std::exit(2);
        }
        std::visit([&](auto* to) { set_option(to, value); }, found->to);
    }
}

/// For --only: true if the name has this part.
inline bool is_named(const std::string& name, const std::string& part) {
    return name.find(part) != std::string::npos;
}

}  // namespace muster::bench
