// math_errors - compares the math functions (foundation/math) with MPFR, over every float or over many pairs.
//
//     math_errors                        all functions: every float, 10^9 pairs
//     math_errors sin tan --threads 1    two of them
//     math_errors --every 4099 --pairs 1000000 --table docs/math.md
//     math_errors exp --from -0x1p-25 --to -104     a part of the floats, away from zero
//     math_errors --device vulkan --every 127       fast mode on a device
//     math_errors --halves               all functions of f16: every argument, or with --every N every n-th pair
//     math_errors --doubles 1000000      all functions of f64: so many arguments, or pairs, each
//
// Prints each function's worst error in ULP (ulp.hpp) with its argument. Fails if an error exceeds the one that the
// table (a document with rows `| name | ULP | ...`) gives for the function, or 1 ULP without a table; on f64, 2 ULP. On f16, a
// function of one operand must be correctly rounded. For fast mode, prints two errors and fails on none; sweep.hpp says what counts. sin, cos
// and tan are tried in [-pi, pi].

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <math_errors/halves.hpp>
#include <math_errors/sweep.hpp>
#include <math_errors/wide.hpp>

namespace {

using namespace muster;
using namespace muster::math_errors;

using Bounds = std::map<std::string, double, std::less<>>;

/// The first number in each table row `| name | number | ...`; later rows of the same name don't count.
Bounds read_table(const std::string& path) {
    Bounds bounds;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t end = line.find(" | ");
        if (!line.starts_with("| ") || end == std::string::npos) continue;
        double ulp = 0;
        const char* const number = line.data() + end + 3;
        if (std::from_chars(number, line.data() + line.size(), ulp).ec == std::errc())
            bounds.emplace(line.substr(2, end - 2), ulp);
    }
    return bounds;
}

struct Options {
    std::vector<Op> functions;
    Extent extent{.threads = std::max(1u, std::thread::hardware_concurrency())};
    std::optional<Bounds> bounds;
    bool halves = false;
    std::uint64_t doubles = 0;  // 0: not of f64
    std::string device;         // empty: exact mode, in C++
};

std::optional<Op> function_named(std::string_view name) {
    for (std::size_t i = 0; i < op_count; ++i) {
        const OpInfo& row = info(static_cast<Op>(i));
        if (row.group == OpGroup::math && row.name == name) return static_cast<Op>(i);
    }
    return std::nullopt;
}

[[noreturn]] void give_up(std::string_view why) {
    fmt::print(stderr,
               "math_errors: {}\nFix: math_errors [FUNCTION...] [--every N] [--pairs N] [--threads N] "
               "[--table FILE] [--from X] [--to X] [--device NAME] [--halves] [--doubles N]\n",
               why);
    std::exit(2);
}

std::uint64_t positive(std::string_view option, std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
        give_up(fmt::format("{} needs a positive number; '{}' is none.", option, text));
    return number;
}

std::uint32_t bits_of_float(std::string_view option, const std::string& text) {
    char* end = nullptr;
    const float x = std::strtof(text.c_str(), &end);
    if (text.empty() || *end != '\0') give_up(fmt::format("{} needs a number; '{}' is none.", option, text));
    return std::bit_cast<std::uint32_t>(x);
}

Options parse(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (const auto op = function_named(argument)) {
            options.functions.push_back(*op);
            continue;
        }
        if (argument == "--halves") {
            options.halves = true;
            continue;
        }
        if (i + 1 == arguments.size())
            give_up(fmt::format("'{}' isn't a function, or an option without value.", argument));
        const std::string& value = arguments[++i];
        if (argument == "--every")
            options.extent.every = positive(argument, value);
        else if (argument == "--pairs")
            options.extent.pairs = positive(argument, value);
        else if (argument == "--from")
            options.extent.first = bits_of_float(argument, value);
        else if (argument == "--to")
            options.extent.last = bits_of_float(argument, value);
        else if (argument == "--threads")
            options.extent.threads = static_cast<unsigned>(positive(argument, value));
        else if (argument == "--table")
            options.bounds = read_table(value);
        else if (argument == "--doubles")
            options.doubles = positive(argument, value);
        else if (argument == "--device")
            options.device = value;
        else
            give_up(fmt::format("'{}' is neither a function nor an option.", argument));
    }
    if (options.extent.first > options.extent.last)
        give_up("--from and --to must have one sign, and --to the larger magnitude.");
    if (!options.functions.empty()) return options;
    for (std::size_t i = 0; i < op_count; ++i)
        if (info(static_cast<Op>(i)).group == OpGroup::math) options.functions.push_back(static_cast<Op>(i));
    return options;
}

std::string second_operand(Op op, const Worst& worst) {
    return info(op).operands == 2 ? fmt::format(", {:a}", worst.y) : "";
}

/// Prints what was found, and returns true if it is within the bound.
bool try_function(Op op, const Options& options) {
    const std::string_view name = info(op).name;
    double bound = 1;
    if (options.bounds) {
        const auto row = options.bounds->find(name);
        if (row == options.bounds->end()) give_up(fmt::format("the table has no row for {}.", name));
        bound = row->second;
    }
    const auto started = std::chrono::steady_clock::now();
    const Sweep sweep = run_sweep(op, options.extent);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
    const Worst& worst = sweep.worst;
    const bool within = worst.ulp <= bound;
    fmt::print("{}: {:.4f} ULP at {:a}{} (result {:a}); {} arguments, {} by MPFR, {:.1f} s{}\n", name,
               worst.ulp, worst.x, second_operand(op, worst), worst.got, sweep.arguments, sweep.asked_mpfr,
               seconds.count(), within ? "" : fmt::format("; MORE THAN {}", bound));
    std::fflush(stdout);
    return within;
}

bool try_on_halves(Op op, const Options& options) {
    const HalfSweep sweep = sweep_halves(op, options.extent.every, options.extent.threads);
    const bool right = sweep.wrong == 0 && sweep.ulp <= 1;
    fmt::print("{} of f16: {} arguments, ", info(op).name, sweep.arguments);
    if (info(op).operands == 2)
        fmt::print("{:.4f} ULP at {:a}, {:a} (result {:a}){}\n", sweep.ulp, float{sweep.x}, float{sweep.y},
                   float{sweep.got}, right ? "" : "; MORE THAN 1");
    else if (right)
        fmt::print("all correctly rounded\n");
    else
        fmt::print("{} NOT CORRECTLY ROUNDED, such as {:a} (result {:a})\n", sweep.wrong, float{sweep.x},
                   float{sweep.got});
    std::fflush(stdout);
    return right;
}

bool try_on_doubles(Op op, const Options& options) {
    const WideSweep worst = sweep_doubles(op, options.doubles, options.extent.threads);
    const bool within = worst.ulp <= 2;
    const std::string second = info(op).operands == 2 ? fmt::format(", {:a}", worst.y) : "";
    fmt::print("{} of f64: {:.4f} ULP at {:a}{} (result {:a}){}\n", info(op).name, worst.ulp, worst.x, second,
               worst.got, within ? "" : "; MORE THAN 2");
    std::fflush(stdout);
    return within;
}

/// Prints two errors: the greatest in ULP, and the greatest in units of at least 2^-24 (the ULP of values from 1/2 to 1),
/// which is no larger where the function is near 0.
void try_fast_mode(Op op, const Options& options) {
    Result<FastFunction> function = FastFunction::open(op, options.device);
    if (!function) give_up(function.error().to_string());
    Extent extent = options.extent;
    if (op == Op::sin || op == Op::cos || op == Op::tan)
        extent.last = std::min(extent.last, std::bit_cast<std::uint32_t>(0x1.921fb4p1f));  // pi, rounded down
    const auto worst = [&](double least_unit) {
        const Worst found = run_sweep(*function, op, extent, least_unit).worst;
        return fmt::format("{:.4g} at {:a}{}", found.ulp, found.x, second_operand(op, found));
    };
    fmt::print("{} on {}: ULP: {}; units of at least 2^-24: {}\n", info(op).name, function->device_name(),
               worst(0), worst(0x1p-24));
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const Options options = parse({arguments + 1, arguments + count});
    bool all_within = true;
    for (const Op op : options.functions) {
        if (options.halves)
            all_within &= try_on_halves(op, options);
        else if (options.doubles != 0)
            all_within &= try_on_doubles(op, options);
        else if (options.device.empty())
            all_within &= try_function(op, options);
        else
            try_fast_mode(op, options);
    }
    return all_within ? 0 : 1;
}
