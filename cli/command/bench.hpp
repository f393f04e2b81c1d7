// bench.hpp - the arguments of `muster bench`, and the half of it that tunes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>

namespace muster::bench {
struct Options;
}

namespace muster::cli {

struct BenchArguments {
    std::vector<std::string> backends;
    std::vector<std::string> only;  // names of kernels; empty: all
    std::string time, timeout;      // as in RunArguments; empty: the default
    std::string json, svg;          // file, or -; empty: none
    std::string compare;            // file; empty: none
    bool quick = false;
    bool fast = false;

    // With --tune:
    ProgramArguments tune;  // its path is empty without; an override has several values, "8,16" or "8..64"
    InputArguments input;
    std::string tolerance;  // a number; empty: the default
};

/// `muster bench --tune`.
Attempt<Exit> tune(const BenchArguments& arguments, const bench::Options& options);

}  // namespace muster::cli
