// run_report.hpp - reports a run: a summary on standard error, or JSON on standard output.
#pragma once

#include <cstdint>
#include <string>

#include <muster/cli/input/arguments.hpp>
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
    const RunArguments& arguments;
    const Kernel& kernel;
    const Route& route;  // printed by --explain
    const ChosenGrid& grid;
    const Measured& measured;
    std::uint64_t first_ns;  // from the process's start to the first result
    const HostBuffers& host;
    const NamedTexts& outputs;
    bool from_artifact = false;

    void print() const;

  private:
    const Program& program() const { return *kernel.program(); }
    void print_json() const;
    std::string summary() const;
};

}  // namespace muster::cli
