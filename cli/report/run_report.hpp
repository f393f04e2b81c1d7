// run_report.hpp - what a run has done, as a summary and as JSON.
#pragma once

#include <cstdint>
#include <string>

#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/report/measure.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

/// The bindings that a run has written or --out names, with checksums: lines of text, and as JSON.
std::string outputs_text(const Program& program, const HostBuffers& host, const NamedTexts& outputs);
Json outputs_json(const Program& program, const HostBuffers& host, const NamedTexts& outputs);

struct RunReport {
    const std::string& path;
    Precision precision;
    std::uint32_t runs;
    const Kernel& kernel;
    const Route& route;
    const ChosenGrid& grid;
    const Measured& measured;
    std::uint64_t first_ns;  // from the process's start to the first result
    const HostBuffers& host;
    const NamedTexts& outputs;
    bool from_artifact = false;
    bool is_quick = false;  // quick code ran

    std::string text() const;
    Json json() const;

  private:
    const Program& program() const { return *kernel.program(); }
};

}  // namespace muster::cli
