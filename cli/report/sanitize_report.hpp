// sanitize_report.hpp - reports what `muster sanitize` has found, as text or JSON on standard output.
#pragma once

#include <cstdint>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>

namespace muster::cli {

struct SanitizeOutput {
    const SanitizeArguments& arguments;
    const Program& program;
    const SanitizeReport& report;
    const ChosenGrid* grid;  // null if validation refuses the program
    std::uint32_t subgroup_size;

    void print() const;

  private:
    std::string summary() const;
    void print_json() const;
};

}  // namespace muster::cli
