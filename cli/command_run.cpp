#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include <muster/cli/commands.hpp>
#include <muster/cli/file.hpp>
#include <muster/cli/grid_argument.hpp>
#include <muster/cli/json.hpp>
#include <muster/cli/measure.hpp>
#include <muster/cli/output.hpp>
#include <muster/cli/program_file.hpp>
#include <muster/cli/spec.hpp>
#include <muster/cli/text.hpp>
#include <muster/foundation/try.hpp>

namespace muster::cli {
namespace {

/// What --out names, checked before anything runs.
Attempt<NamedTexts> checked_outputs(const RunArguments& arguments, const Program& program) {
    NamedTexts outputs = TRY(step(Exit::usage, split_assignments(arguments.outs, "--out")));
    for (const auto& [name, path] : outputs) {
        const Variable* variable = find_binding(program, name);
        if (variable == nullptr) {
            return std::unexpected(Failure{
                Exit::usage,
                Error{ErrorCode::invalid_argument,
                      fmt::format("--out names \"{}\", which is no binding of {}.", name, program.entry()),
                      {},
                      {}}});
        }
        TRY(step(Exit::usage, check_output(*variable, program.types(), path)));
        if (path == "-" && arguments.json) return std::unexpected(taken_by_json("--out " + name + "=-"));
        TRY(step(Exit::failed, during("writing --out " + name, check_writable(path))));
    }
    return outputs;
}

Attempt<DeviceBuffers> upload(Session& session, const Program& program, const HostBuffers& host) {
    DeviceBuffers buffers;
    for (const auto& [name, buffer] : host) {
        const auto scalar = only_scalar(program.types(), find_binding(program, name)->type);
        buffers.emplace(name, TRY(step(session.buffer_from(buffer.bytes, scalar))));
    }
    return buffers;
}

/// Reads back what the kernel writes, and what --out asks for.
Attempt<void> download(const Program& program, const NamedTexts& outputs, const DeviceBuffers& buffers,
                       HostBuffers& host) {
    for (auto& [name, buffer] : host) {
        const bool is_asked =
            std::ranges::any_of(outputs, [&](const auto& output) { return output.first == name; });
        if (!is_asked && !find_binding(program, name)->is_written) continue;
        TRY(step(buffers.find(name)->second.read_bytes(buffer.bytes)));
    }
    return {};
}

struct Report {
    const RunArguments& arguments;
    const Kernel& kernel;
    const ChosenGrid& grid;
    const Measured& measured;
    std::uint64_t first_ns;
    const HostBuffers& host;
    const NamedTexts& outputs;

    const Program& program() const { return *kernel.program(); }
    bool is_output(const Variable& variable) const {
        return variable.is_written || std::ranges::any_of(outputs, [&](const auto& output) {
                   return output.first == variable.name;
               });
    }
    void print_json() const;
    void print_text() const;
};

Json spread_json(const Spread& spread) {
    return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

void Report::print_json() const {
    const Extent3 groups = grid.workgroups;
    Json json{{"program", arguments.program.path},
              {"entry", program().entry()},
              {"fingerprint", to_string(program().fingerprint())},
              {"backend", kernel.backend()},
              {"device", kernel.device().name},
              {"ordinal", kernel.device().ordinal},
              {"mode", kernel.route().mode()},
              {"precision", arguments.routing.fast ? "fast" : "exact"},
              {"grid",
               {{"workgroups", to_json(groups)},
                {"workgroup_size", to_json(program().workgroup_size())},
                {"from", grid.origin}}},
              {"runs", arguments.repeat},
              {"wall_ns", spread_json(measured.wall_ns)},
              {"device_ns", spread_json(measured.device_ns)},
              {"first_ns", first_ns},
              {"notes", kernel.route().decision().notes},
              {"outputs", Json::array()}};
    const TypeTable& types = program().types();
    for (const VariableId id : program().bindings()) {
        const Variable& variable = program().variable(id);
        if (!is_output(variable)) continue;
        const HostBuffer& buffer = host.find(variable.name)->second;
        json["outputs"].push_back({{"name", variable.name},
                                   {"type", types.name(variable.type)},
                                   {"count", element_count(types, variable.type, buffer.bytes.size())},
                                   {"xxh3", fmt::format("{:016x}", checksum(types, variable.type, buffer))}});
    }
    if (arguments.explain) json["route"] = to_json(kernel.route());
    cli::print_json(json);
}

void Report::print_text() const {
    const Extent3 groups = grid.workgroups, size = program().workgroup_size();
    fmt::print("{} on {}:{} ({}), {}\n", program().entry(), kernel.backend(), kernel.device().ordinal,
               kernel.device().name, arguments.routing.fast ? "fast" : "exact");
    fmt::print("  grid   {} x {} x {} workgroups of {} x {} x {}: {}\n", groups.x, groups.y, groups.z, size.x,
               size.y, size.z, grid.origin);
    const Spread& wall = measured.wall_ns;
    if (arguments.repeat == 1) {
        fmt::print("  time   {}", human_time(wall.median));
    } else {
        fmt::print("  time   {} (median of {} runs, {} to {})", human_time(wall.median), arguments.repeat,
                   human_time(wall.min), human_time(wall.max));
    }
    fmt::print(", on the device {}; first result after {}\n", human_time(measured.device_ns.median),
               human_time(first_ns));

    const TypeTable& types = program().types();
    for (const VariableId id : program().bindings()) {
        const Variable& variable = program().variable(id);
        if (!is_output(variable)) continue;
        const HostBuffer& buffer = host.find(variable.name)->second;
        fmt::print("  {}: {}, {} elements, xxh3 {:016x}\n    {}\n", variable.name, types.name(variable.type),
                   element_count(types, variable.type, buffer.bytes.size()),
                   checksum(types, variable.type, buffer), preview(types, variable.type, buffer));
    }
    if (arguments.explain) fmt::print("\n{}\n", kernel.route().explain());
}

}  // namespace

Attempt<Exit> run_run(const RunArguments& arguments, Start start) {
    const ValidProgram program = TRY(load_program(arguments.program));
    const NamedTexts outputs = TRY(checked_outputs(arguments, program));
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.binds, "--bind")));
    HostBuffers host = TRY(step(Exit::usage, make_buffers(program, binds)));
    const ChosenGrid grid = TRY(step(Exit::usage, choose_grid(arguments, program, host)));

    Session session = TRY(open_session(arguments.routing));
    const CompileOptions options = compile_options(arguments.routing);
    const Route route =
        arguments.explain ? session.explain(program, options) : session.route(program, options);
    if (route.execute() == nullptr) return std::unexpected(not_executable(session, route, arguments.program));
    const Kernel kernel = TRY(step(session.prepare(program, options)));
    for (const std::string& note : kernel.route().decision().notes) {
        if (!arguments.explain) complain(fmt::format("note: {}\n", note));
    }

    DeviceBuffers buffers = TRY(upload(session, program, host));
    const Measured measured = TRY(step(measure(session, kernel, grid.grid, arguments.repeat, host, buffers)));
    TRY(download(program, outputs, buffers, host));

    const auto first_ns = static_cast<std::uint64_t>(measured.first_end_ns - start.ns);
    const Report report{arguments, kernel, grid, measured, first_ns, host, outputs};
    arguments.json ? report.print_json() : report.print_text();
    std::fflush(stdout);
    for (const auto& [name, path] : outputs) {
        const Variable& variable = *find_binding(program, name);
        TRY(step(Exit::failed, during("writing --out " + name, write_output(variable, program->types(),
                                                                            host.find(name)->second, path))));
    }
    return Exit::done;
}

}  // namespace muster::cli
