// sanitize_report.hpp - what `muster sanitize` has found, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>

#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>

namespace muster::cli {

struct SanitizeOutput {
    const std::string& path;
    const Program& program;
    const SanitizeReport& report;
    const ChosenGrid* grid;  // null if validation refuses the program
    std::uint32_t subgroup_size;

    std::string text() const;
    Json json() const;

  private:
    std::string summary() const;
};

}  // namespace muster::cli
