// muster pipeline: runs the steps of a file as one sequence.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/pipeline_file.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/measure.hpp>
#include <muster/cli/report/output.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct PipelineArguments {
    std::string path;
    RoutingArguments routing;
    std::vector<std::string> binds;  // BUFFER=SPEC
    std::vector<std::string> outs;   // BUFFER=FILE
    std::string timeout;             // as in RunArguments
    bool quiet = false;
    bool json = false;
};

constexpr std::size_t most_steps = 1'000'000;  // with all turns of the loops

/// A buffer, with the binding that is first bound to it, which gives it its type.
struct Shared {
    std::string spec;
    std::optional<Kernel> kernel;
    const Variable* variable = nullptr;
    HostBuffer host;
    std::optional<Buffer> buffer;
    bool is_written = false;
};

class PipelineRun {
  public:
    PipelineRun(const PipelineArguments& arguments, Session session)
        : arguments_(arguments), session_(std::move(session)), sequence_(session_.sequence()) {}

    Attempt<void> load() {
        const std::vector<std::byte> bytes = TRY(step(Exit::usage, read_file(arguments_.path)));
        pipeline_ =
            TRY(step(Exit::usage, during("reading " + arguments_.path, parse_pipeline(as_text(bytes)))));
        for (auto& [name, spec] : pipeline_.buffers) shared_[name].spec = spec;
        for (auto& [name, spec] : TRY(step(Exit::usage, split_assignments(arguments_.binds, "--bind")))) {
            (void)TRY(found(name, "--bind names"));
            shared_[name].spec = spec;
        }
        outputs_ = TRY(step(Exit::usage, split_assignments(arguments_.outs, "--out")));
        for (const auto& [name, path] : outputs_) {
            (void)TRY(found(name, "--out names"));
            if (path == "-" && arguments_.json) return taken_by_json("--out " + name + "=-");
        }
        return prepare(pipeline_.steps);
    }

    Attempt<void> fill_buffers() {
        for (auto& [name, one] : shared_) TRY(fill_buffer(name, 0));
        for (const auto& [name, path] : outputs_) {
            const Shared& one = shared_.find(name)->second;
            TRY(step(Exit::usage, check_output(*one.variable, one.kernel->program()->types(), path)));
            TRY(step(Exit::failed, during("writing --out " + name, check_writable(path))));
        }
        return {};
    }

    Attempt<void> run(std::chrono::nanoseconds timeout) {
        TRY(record(pipeline_.steps, 0));
        const auto begin = std::chrono::steady_clock::now();
        const Ticket ticket = TRY(step(sequence_.submit()));
        auto end = ticket.wait(timeout);
        if (!end) {
            ticket.abandon();
            return std::unexpected(Failure{exit_of(end.error().code), std::move(end).error()});
        }
        device_ns_ = end->device_ns;
        wall_ns_ = std::chrono::steady_clock::now() - begin;
        for (auto& [name, one] : shared_)
            if (one.is_written || is_output(name)) TRY(step(one.buffer->read_bytes(one.host.bytes)));
        return {};
    }

    void print() const {
        const std::string device = kernels_.empty() ? "no device" : kernels_.begin()->second.device().name;
        const std::string backend = kernels_.empty() ? "" : std::string(kernels_.begin()->second.backend());
        if (arguments_.json) {
            Json json{{"steps", sequence_.size()},
                      {"backend", backend},
                      {"device", device},
                      {"wall_ns", wall_ns_.count()},
                      {"device_ns", device_ns_ ? Json(*device_ns_) : Json()},
                      {"buffers", Json::array()}};
            for (const auto& [name, one] : shared_)
                if (one.is_written)
                    json["buffers"].push_back({{"name", name},
                                               {"type", types_of(one).name(one.variable->type)},
                                               {"checksum", fmt::format("{:016x}", checksum_of(one))}});
            print_json(json);
            return;
        }
        if (arguments_.quiet) return;
        complain(fmt::format("{} steps on {} ({}), {}\n", sequence_.size(), backend, device,
                             human_time(static_cast<std::uint64_t>(wall_ns_.count()))));
        for (const auto& [name, one] : shared_)
            if (one.is_written)
                complain(fmt::format("  {}  {}  {:016x}  {}\n", name, types_of(one).name(one.variable->type),
                                     checksum_of(one), preview(types_of(one), one.variable->type, one.host)));
    }

    Attempt<void> write_outputs() const {
        for (const auto& [name, path] : outputs_) {
            const Shared& one = shared_.find(name)->second;
            TRY(step(Exit::failed, during("writing --out " + name,
                                          write_output(*one.variable, types_of(one), one.host, path))));
        }
        return {};
    }

  private:
    static const TypeTable& types_of(const Shared& one) { return one.kernel->program()->types(); }
    static std::uint64_t checksum_of(const Shared& one) {
        return checksum(types_of(one), one.variable->type, one.host);
    }
    bool is_output(const std::string& name) const {
        return std::ranges::any_of(outputs_, [&](const auto& output) { return output.first == name; });
    }

    Attempt<Shared*> found(const std::string& name, const std::string& who) {
        const auto one = shared_.find(name);
        if (one != shared_.end()) return &one->second;
        std::vector<std::string> names;
        for (const auto& [known, ignored] : shared_) names.push_back(known);
        return misused(fmt::format("{} \"{}\", which isn't a buffer of {}.", who, name, arguments_.path),
                       names.empty() ? "add it to \"buffers\"" : did_you_mean(name, names));
    }

    static const std::string& buffer_of(const RunStep& run, const std::string& binding) {
        const auto bound =
            std::ranges::find_if(run.bind, [&](const auto& one) { return one.first == binding; });
        return bound == run.bind.end() ? binding : bound->second;
    }
    static const std::vector<std::string>* values_of(const RunStep& run, const std::string& binding) {
        const auto given =
            std::ranges::find_if(run.values, [&](const auto& one) { return one.first == binding; });
        return given == run.values.end() ? nullptr : &given->second;
    }

    /// The step's kernel, prepared for the first step that runs it.
    Attempt<Kernel> kernel_of(const RunStep& run) {
        const KernelKey key{run.path, run.entry, run.overrides};
        if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
        const ProgramArguments named{
            .path = (std::filesystem::path(arguments_.path).parent_path() / run.path).string(),
            .entry = run.entry,
            .overrides = run.overrides,
            .digest = {}};
        const ArtifactFile file = TRY(load_file(named));
        const CompileOptions options = compile_options(arguments_.routing);
        const Route route = session_.route(file, options);
        if (route.execute() == nullptr) return std::unexpected(not_executable(session_, route, named));
        return kernels_.emplace(key, TRY(step(session_.prepare(file, options)))).first->second;
    }

    /// Prepares the kernels, and gives each buffer the type of the first binding that it is bound to.
    Attempt<void> prepare(const std::vector<PipelineStep>& steps) {
        for (const PipelineStep& one : steps) {
            if (const auto* loop = std::get_if<RepeatStep>(&one.what)) TRY(prepare(loop->steps));
            if (const auto* run = std::get_if<RunStep>(&one.what)) TRY(prepare(*run, one.place));
        }
        return {};
    }
    Attempt<void> prepare(const RunStep& run, const std::string& place) {
        const Kernel kernel = TRY(kernel_of(run));
        const Program& program = kernel.program();
        const auto check_names = [&](const auto& named_texts) -> Attempt<void> {
            for (const auto& [name, ignored] : named_texts)
                if (find_binding(program, name) == nullptr)
                    return misused(fmt::format("{} names \"{}\", which isn't a binding of {}.", place, name,
                                               program.entry()),
                                   "name one of its bindings");
            return {};
        };
        TRY(check_names(run.bind));
        TRY(check_names(run.values));
        for (const VariableId id : program.bindings()) {
            const Variable& variable = program.variable(id);
            if (values_of(run, variable.name)) continue;
            Shared& one = *TRY(
                found(buffer_of(run, variable.name), fmt::format("{} binds {} to", place, variable.name)));
            one.is_written |= variable.is_written;
            if (one.variable) continue;
            one.kernel = kernel;
            one.variable = &variable;
        }
        return {};
    }

    /// Makes the buffer, after the one that its SPEC refers to.
    Attempt<void> fill_buffer(const std::string& name, std::size_t depth) {
        Shared& one = shared_.find(name)->second;
        if (one.buffer) return {};
        const std::string what = fmt::format("making the buffer {}", name);
        if (one.variable == nullptr)
            return misused(fmt::format("No kernel of {} uses the buffer \"{}\".", arguments_.path, name),
                           "bind it in a step, or remove it: its type is that of the first binding");
        const Spec spec = TRY(step(Exit::usage, during(what, parse_spec(one.spec))));
        SizedBinding source;
        if (refers(spec)) {
            Shared& other = *TRY(found(spec.text, fmt::format("The buffer {} refers to", name)));
            if (depth > shared_.size())
                return misused(fmt::format("The buffer \"{}\" refers to itself.", name),
                               "give one of them a size");
            TRY(fill_buffer(spec.text, depth + 1));
            source = {&static_cast<const Program&>(other.kernel->program()), other.variable, &other.host};
        }
        one.host = TRY(
            step(Exit::usage, during(what, make_buffer(one.kernel->program(), *one.variable, spec, source))));
        // Bytes, so that kernels which read them as different types can share them.
        one.buffer = TRY(step(session_.buffer_from(one.host.bytes)));
        return {};
    }

    Attempt<void> record(const std::vector<PipelineStep>& steps, std::uint32_t turn) {
        for (const PipelineStep& one : steps) {
            if (const auto* loop = std::get_if<RepeatStep>(&one.what)) {
                for (std::uint32_t i = 0; i < loop->times; ++i) TRY(record(loop->steps, i));
                continue;
            }
            if (sequence_.size() == most_steps)
                return misused(
                    fmt::format("The pipeline has over {} steps, with all turns of its loops.", most_steps),
                    "do more in each kernel, or call the tool several times");
            if (const auto* run = std::get_if<RunStep>(&one.what)) TRY(record(*run, one.place, turn));
            if (const auto* copy = std::get_if<CopyStep>(&one.what)) {
                Shared &from = *TRY(found(copy->from, one.place + " copies")),
                       &to = *TRY(found(copy->to, one.place + " copies to"));
                to.is_written = true;
                TRY(step(Exit::usage,
                         during("recording " + one.place, sequence_.copy({*from.buffer}, {*to.buffer}))));
            }
            if (const auto* fill = std::get_if<FillStep>(&one.what)) {
                Shared& what = *TRY(found(fill->buffer, one.place + " fills"));
                what.is_written = true;
                TRY(step(Exit::usage,
                         during("recording " + one.place, sequence_.fill({*what.buffer}, fill->word))));
            }
        }
        return {};
    }
    Attempt<void> record(const RunStep& run, const std::string& place, std::uint32_t turn) {
        const Kernel kernel = TRY(kernel_of(run));
        const Program& program = kernel.program();
        std::vector<Argument> arguments;
        for (const VariableId id : program.bindings()) {
            const Variable& variable = program.variable(id);
            const GroupBinding at{variable.group, variable.binding};
            const std::vector<std::string>* values = values_of(run, variable.name);
            if (!values) {
                arguments.emplace_back(at, *shared_.find(buffer_of(run, variable.name))->second.buffer);
                continue;
            }
            if (values->size() > 1 && turn >= values->size())
                return misused(fmt::format("{} gives {} {} values; the loop has more turns.", place,
                                           variable.name, values->size()),
                               "give one value, or one for each turn");
            const std::string what = fmt::format("{}.values.{}", place, variable.name);
            const Spec spec =
                TRY(step(Exit::usage, during(what, parse_spec((*values)[values->size() > 1 ? turn : 0]))));
            if (refers(spec))
                return misused(what + " refers to a binding.", "write the value, or bind a buffer");
            const HostBuffer host =
                TRY(step(Exit::usage, during(what, make_buffer(program, variable, spec, {}))));
            ArgumentValue value;
            value.bytes = InlineVector<std::byte, 64>(std::span<const std::byte>(host.bytes));
            arguments.emplace_back(at, value);
        }
        const Grid grid = run.in_invocations ? Grid(Invocations{run.grid[0], run.grid[1], run.grid[2]})
                                             : Grid(Workgroups{run.grid[0], run.grid[1], run.grid[2]});
        return step(Exit::usage, during("recording " + place, sequence_.dispatch(kernel, arguments, grid)));
    }

    const PipelineArguments& arguments_;
    Session session_;
    Sequence sequence_;
    Pipeline pipeline_;
    NamedTexts outputs_;
    std::map<std::string, Shared, std::less<>> shared_;
    using KernelKey =
        std::tuple<std::string, std::string, std::vector<std::string>>;  // path, entry, overrides
    std::map<KernelKey, Kernel> kernels_;
    std::optional<std::uint64_t> device_ns_;
    std::chrono::nanoseconds wall_ns_{};
};

void declare(Options& options, PipelineArguments& to) {
    options.argument(to.path, "FILE", "The pipeline, as JSON: buffers, kernels, copies, fills and loops");
    options.values(to.binds, "--bind", "BUFFER=SPEC",
                   "A buffer's data, instead of the file's: as run's --bind");
    options.values(to.outs, "--out", "BUFFER=FILE",
                   "Where a buffer goes afterwards: .npy, .png, .bin, or - to print");
    add_routing(options, to.routing);
    options.value(to.timeout, "--timeout", "TIME", "Give up if it takes longer: 10 (seconds), 500ms, 2min");
    add_validate(options, to.routing);
    options.flag(to.quiet, "-q,--quiet", "Leave out the summary on standard error");
    add_json(options, to.json);
    options.footer(
        "\nExample:\n  muster pipeline examples/radix-sort/radix_sort.json --bind keys=random:u32:9000:1");
}

Attempt<Exit> perform(const PipelineArguments& arguments) {
    auto timeout = no_timeout;
    if (!arguments.timeout.empty())
        timeout = TRY(step(Exit::usage, during("reading --timeout", parse_time(arguments.timeout))));
    PipelineRun run(arguments, TRY(open_session(arguments.routing)));
    TRY(run.load());
    TRY(run.fill_buffers());
    TRY(run.run(timeout));
    run.print();
    std::fflush(stdout);
    TRY(run.write_outputs());
    return Exit::done;
}

}  // namespace

const Verb verbs::pipeline{"pipeline", "Run the steps of a file, which share buffers, on one device",
                           command<PipelineArguments, declare, perform>};

}  // namespace muster::cli
