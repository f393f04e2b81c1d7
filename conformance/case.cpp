#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include <muster/conformance/case.hpp>
#include <muster/conformance/case_texts.hpp>
#include <muster/driver/platform/file.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::conformance {
namespace {

std::optional<Scalar> scalar_named(std::string_view name) {
    for (const ScalarInfo& row : scalars) {
        if (row.name == name && row.scalar != Scalar::boolean) return row.scalar;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> number(Scalar scalar, const std::string& text) {
    char* end = nullptr;
    std::uint64_t bits = 0;
    if (scalar == Scalar::f32) {
        bits = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), &end));
    } else if (scalar == Scalar::f16) {
        bits = semantics::to_f16(std::strtod(text.c_str(), &end)).bits();
    } else if (scalar == Scalar::f64) {
        bits = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), &end));
    } else if (is_signed(scalar)) {
        bits = static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 10));
    } else {
        bits = std::strtoull(text.c_str(), &end, 10);
    }
    return end == text.c_str() + text.size() ? std::optional(bits) : std::nullopt;
}

/// The values as the binding's words.
Values in_memory(Scalar scalar, const std::vector<std::uint64_t>& values) {
    const std::uint32_t bytes = info(scalar).bytes;
    std::vector<std::uint32_t> words((values.size() * bytes + 3) / 4);
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::uint32_t byte = 0; byte < bytes; ++byte) {
            const std::size_t at = i * bytes + byte;
            words[at / 4] |= static_cast<std::uint32_t>(values[i] >> (8 * byte) & 0xff) << (at % 4 * 8);
        }
    return {scalar, std::move(words)};
}

Result<Values> made_values(const std::string& how, const std::vector<std::string>& words) {
    const auto scalar = words.empty() ? std::nullopt : scalar_named(words[0]);
    if (!scalar || words.size() < 2) {
        return fail(ErrorCode::invalid_argument, "\"" + how + "\" needs a type and a count.");
    }
    std::vector<std::uint64_t> values(std::strtoull(words[1].c_str(), nullptr, 10));
    std::mt19937 random(words.size() > 2 ? static_cast<unsigned>(std::stoul(words[2])) : 0u);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto number = static_cast<std::uint32_t>(i);
        const auto as_float = [&](float value) -> std::uint64_t {
            if (*scalar == Scalar::f64) return std::bit_cast<std::uint64_t>(double{value});
            return *scalar == Scalar::f16 ? f16(value).bits() : std::bit_cast<std::uint32_t>(value);
        };
        if (how == "iota") values[i] = is_float(*scalar) ? as_float(static_cast<float>(number)) : number;
        if (how == "random") {
            const auto drawn = static_cast<std::uint32_t>(random());
            values[i] = is_float(*scalar)  ? as_float(static_cast<float>(drawn >> 8) * 0x1p-24f)
                        : is_wide(*scalar) ? drawn | std::uint64_t{random()} << 32
                                           : drawn;
        }
    }
    return in_memory(*scalar, values);
}

Result<Values> parse_values(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    if (words.empty()) return fail(ErrorCode::invalid_argument, "values are missing.");
    if (words[0] == "zeros" || words[0] == "iota" || words[0] == "random") {
        return made_values(words[0], {words.begin() + 1, words.end()});
    }
    const auto scalar = scalar_named(words[0]);
    if (!scalar)
        return fail(
            ErrorCode::invalid_argument,
            "\"" + words[0] + "\" isn't a type; use i32, u32, f32, f16, i8, u8, i16, u16, i64, u64 or f64.");
    std::vector<std::uint64_t> values;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const auto bits = number(*scalar, words[i]);
        if (!bits) return fail(ErrorCode::invalid_argument, "\"" + words[i] + "\" isn't a value.");
        values.push_back(*bits);
    }
    return in_memory(*scalar, values);
}

template <class Size>
Size parse_size(std::istringstream& in) {
    Size size;
    in >> size.x;
    if (!(in >> size.y)) size.y = 1;
    if (!(in >> size.z)) size.z = 1;
    return size;
}

Result<void> directive(Case& test, const std::string& line) {
    std::istringstream in(line);
    std::string verb, name, equals, rest;
    in >> verb;
    if (verb == "workgroups") test.grid = parse_size<Workgroups>(in);
    if (verb == "invocations") test.grid = parse_size<Invocations>(in);
    if (verb != "bind" && verb != "expect") return {};
    in >> name >> equals;
    std::getline(in, rest);
    if (equals != "=") return fail(ErrorCode::invalid_argument, "\"" + line + "\" has no =.");
    (verb == "bind" ? test.bind : test.expect)[name] = TRY(parse_values(rest));
    return {};
}

Result<std::vector<Case>> parsed(std::span<const CaseText> texts) {
    std::vector<Case> cases;
    for (const CaseText& one : texts)
        cases.push_back(TRY(parse_case(std::string(one.name), std::string(one.text))));
    return cases;
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
bool is_tiny(std::uint32_t bits) { return (bits & 0x7f800000u) == 0; }

}  // namespace

Result<Case> parse_case(std::string name, std::string text) {
    Case test;
    test.name = std::move(name);
    test.text = std::move(text);
    std::istringstream lines(test.text);
    std::string line;
    for (int number = 1; std::getline(lines, line) && line.starts_with("// "); ++number) {
        if (number == 1) test.shows = line.substr(3);
        if (number == 1) continue;
        TRY(during(fmt::format("reading {}:{}", test.name, number), directive(test, line.substr(3))));
    }
    return test;
}

Result<std::vector<Case>> load_core_cases() { return parsed(core_case_texts()); }

Result<std::vector<Case>> load_extension_cases() { return parsed(extension_case_texts()); }

Result<std::vector<Case>> load_cases() {
    std::vector<Case> cases = TRY(load_core_cases());
    std::ranges::move(TRY(load_extension_cases()), std::back_inserter(cases));
    return cases;
}

bool matches(const std::string& glob, const std::string& text) { return platform::name_matches(glob, text); }

Result<std::vector<Case>> select_cases(std::span<const std::string> globs) {
    std::vector<Case> cases = TRY(load_cases());
    const auto name_fits = [](const std::string& glob) {
        return [&glob](const Case& test) { return matches(glob, test.name); };
    };
    for (const std::string& glob : globs) {
        if (std::ranges::none_of(cases, name_fits(glob)))
            return fail(
                ErrorCode::not_found, fmt::format("No conformance case matches \"{}\".", glob),
                "name one of the suite's cases, such as integers/signed_division, or several: integers/*");
    }
    std::erase_if(cases, [&](const Case& test) {
        return std::ranges::none_of(globs, [&](const std::string& glob) { return matches(glob, test.name); });
    });
    return cases;
}

Result<ValidProgram> Case::program() const {
    return validate(TRY(wgsl::parse(text, {.file = name.ends_with(".wgsl") ? name : name + ".wgsl"})));
}

Result<Outputs> inputs_of(const Case& test, const Program& program) {
    Outputs inputs;
    for (VariableId id : program.bindings()) {
        const auto found = test.bind.find(program.variable(id).name);
        if (found == test.bind.end()) {
            return fail(ErrorCode::invalid_argument,
                        test.name + " binds nothing to \"" + program.variable(id).name + "\".");
        }
        inputs.push_back(found->second);
    }
    return inputs;
}

namespace {

/// The difference of the f16 in a word, by the index of its first half; "" if there is none.
std::string difference_of_halves(std::size_t first, std::uint32_t expected, std::uint32_t actual) {
    for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
        const f16 a = semantics::low_half(expected >> (16 * half)),
                  b = semantics::low_half(actual >> (16 * half));
        if (a.bits() == b.bits() || (semantics::is_nan(a) && semantics::is_nan(b))) continue;
        return fmt::format("value {} is {} ({:#06x}) instead of {} ({:#06x})", first + half, float{b},
                           b.bits(), float{a}, a.bits());
    }
    return {};
}

}  // namespace

std::string difference(const Values& expected, const Values& actual, bool flushed) {
    if (expected.words.size() != actual.words.size()) {
        return fmt::format("{} values instead of {}", actual.words.size(), expected.words.size());
    }
    for (std::size_t i = 0; i < expected.words.size(); ++i) {
        const std::uint32_t a = expected.words[i], b = actual.words[i];
        if (a == b) continue;
        if (is_wide(expected.scalar)) {
            const auto whole = [&](const Values& values) {
                return values.words[i & ~std::size_t{1}] | std::uint64_t{values.words[i | 1]} << 32;
            };
            const std::uint64_t wide = whole(expected), other = whole(actual);
            if (expected.scalar != Scalar::f64)
                return fmt::format("value {} is {:#x} instead of {:#x}", i / 2, other, wide);
            const auto x = std::bit_cast<double>(wide), y = std::bit_cast<double>(other);
            if (std::isnan(x) && std::isnan(y)) continue;
            return fmt::format("value {} is {} ({:#x}) instead of {} ({:#x})", i / 2, y, other, x, wide);
        }
        if (expected.scalar == Scalar::f32) {
            if (is_nan(a) && is_nan(b)) continue;
            if (flushed && is_tiny(a) && is_tiny(b)) continue;
            return fmt::format("value {} is {} ({:#010x}) instead of {} ({:#010x})", i,
                               std::bit_cast<float>(b), b, std::bit_cast<float>(a), a);
        }
        if (expected.scalar == Scalar::f16) {
            if (std::string what = difference_of_halves(2 * i, a, b); !what.empty()) return what;
            continue;
        }
        if (is_narrow(expected.scalar))
            return fmt::format("word {} is {:#010x} instead of {:#010x}", i, b, a);
        if (expected.scalar == Scalar::i32) {
            return fmt::format("value {} is {} instead of {}", i, static_cast<std::int32_t>(b),
                               static_cast<std::int32_t>(a));
        }
        return fmt::format("value {} is {} instead of {}", i, b, a);
    }
    return {};
}

std::string first_difference(const Program& program, const Outputs& expected, const Outputs& actual,
                             bool flushed) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string what = difference(expected[i], actual[i], flushed);
        if (!what.empty()) return program.variable(program.bindings()[i]).name + ": " + what;
    }
    return {};
}

}  // namespace muster::conformance
