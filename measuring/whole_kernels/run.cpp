#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/measuring/whole_kernels/data.hpp>
#include <muster/measuring/whole_kernels/whole_kernel.hpp>

namespace muster::kernels {
namespace {

struct KernelText {
    std::string_view file, text;
};
constexpr KernelText kernel_texts[]{
#include <kernel_texts.inc>
};

std::string_view text_of(const WholeKernel& kernel) {
    const std::string_view name = kernel.file.substr(kernel.file.rfind('/') + 1);
    return std::ranges::find(kernel_texts, name, &KernelText::file)->text;
}

/// The name of the array that a binding of the step is.
const std::string& array_name(const Step& step, const std::string& binding) {
    const auto other = step.bind.find(binding);
    return other == step.bind.end() ? binding : other->second;
}

std::vector<std::string> binding_names(const ValidProgram& program) {
    std::vector<std::string> names;
    for (const VariableId binding : program->bindings()) names.push_back(program->variable(binding).name);
    return names;
}

ArgumentValue value_of(const Words& words) {
    return {InlineVector<std::byte, 64>(std::as_bytes(std::span(words))), {}};
}

}  // namespace

Result<std::map<std::string, ValidProgram>> programs(const WholeKernel& kernel, const Job& job) {
    const std::string_view text = text_of(kernel);
    std::map<std::string, ValidProgram> all;
    for (const Step& step : job.steps) {
        if (all.contains(step.entry)) continue;
        Program program = TRY(wgsl::parse(
            text, {.file = std::string(kernel.file), .entry = step.entry, .overrides = job.overrides}));
        all.emplace(step.entry, TRY(validate(std::move(program))));
    }
    return all;
}

Result<Arrays> run_interpreted(const WholeKernel& kernel, const Job& job) {
    std::map<std::string, InterpreterCode> codes;
    for (const auto& [entry, program] : TRY(programs(kernel, job)))
        codes.emplace(entry, TRY(InterpreterCode::compile(program)));
    Arrays arrays = job.arrays;
    for (const Step& step : job.steps) {
        const InterpreterCode& code = codes.at(step.entry);
        std::map<std::string, Words> uniforms = step.uniforms;
        std::vector<BoundBytes> bindings;
        for (const std::string& name : binding_names(code.program())) {
            const auto uniform = uniforms.find(name);
            Words& words = uniform != uniforms.end() ? uniform->second : arrays.at(array_name(step, name));
            bindings.push_back({std::as_writable_bytes(std::span(words))});
        }
        const Extent3 grid = TRY(workgroups(step.grid, code.program()->workgroup_size()));
        TRY(interpret(code, bindings, {.extent = grid, .grid = grid}));
    }
    return arrays;
}

Result<Loaded> Loaded::load(const Session& session, const WholeKernel& kernel, const Job& job,
                            const CompileOptions& options) {
    Loaded loaded(session);
    loaded.before_ = job.arrays;
    for (const auto& [name, words] : job.arrays)
        loaded.buffers_.emplace(name, TRY(loaded.session_.buffer_from(std::as_bytes(std::span(words)))));
    std::map<std::string, Kernel> kernels;
    for (const auto& [entry, program] : TRY(programs(kernel, job)))
        kernels.emplace(entry, TRY(loaded.session_.prepare(program, options)));
    for (const Step& step : job.steps) {
        Dispatch dispatch{kernels.at(step.entry), {}, step.grid};
        for (const std::string& name : binding_names(dispatch.kernel.program())) {
            const auto uniform = step.uniforms.find(name);
            if (uniform != step.uniforms.end())
                dispatch.arguments.emplace_back(name, value_of(uniform->second));
            else
                dispatch.arguments.emplace_back(name, loaded.buffers_.at(array_name(step, name)));
        }
        loaded.dispatches_.push_back(std::move(dispatch));
    }
    return loaded;
}

Result<void> wait_or_abandon(const Ticket& ticket, std::chrono::nanoseconds timeout) {
    auto ended = ticket.wait(timeout);
    if (ended) return {};
    if (ended.error().code == ErrorCode::timed_out) ticket.abandon();
    return std::unexpected(std::move(ended).error());
}

Result<void> Loaded::run(std::uint32_t times, std::chrono::nanoseconds timeout) {
    std::optional<Ticket> last;
    for (std::uint32_t time = 0; time < times; ++time)
        for (const Dispatch& dispatch : dispatches_)
            last = TRY(session_.dispatch(dispatch.kernel, dispatch.arguments, dispatch.grid));
    return last ? wait_or_abandon(*last, timeout) : Result<void>();
}

Result<std::vector<DispatchWork>> Loaded::work() {
    std::vector<DispatchWork> all;
    for (const Dispatch& each : dispatches_)
        all.push_back(TRY(session_.work(each.kernel.program(), each.arguments, each.grid)));
    return all;
}

Result<void> Loaded::reset() {
    for (auto& [name, buffer] : buffers_)
        if (auto done = buffer.write_bytes(std::as_bytes(std::span(before_.at(name)))); !done) return done;
    return {};
}

Result<Arrays> Loaded::arrays() const {
    Arrays arrays = before_;
    for (auto& [name, words] : arrays)
        if (auto done = buffers_.at(name).read_bytes(std::as_writable_bytes(std::span(words))); !done)
            return std::unexpected(std::move(done).error());
    return arrays;
}

namespace {

/// The element's difference from what is expected, or "".
std::string difference_at(const Expected& expected, std::size_t at, std::uint32_t actual) {
    if (const auto* const words = std::get_if<Words>(&expected.values))
        return (*words)[at] == actual ? "" : fmt::format("is {:#x}, not {:#x}", actual, (*words)[at]);
    const double right = std::get<Doubles>(expected.values)[at];
    const float seen = std::bit_cast<float>(actual);
    const double bound = expected.absolute + expected.relative * std::fabs(right);
    if (std::fabs(seen - right) <= bound) return "";  // false for NaN
    return fmt::format("is {}, not {} within {:.2g}", seen, right, bound);
}

std::string first_difference_of(const Expected& expected, const Words& actual) {
    const std::size_t count = std::visit([](const auto& values) { return values.size(); }, expected.values);
    if (count != actual.size())
        return fmt::format("{} has {} elements, not {}", expected.array, actual.size(), count);
    std::string first;
    std::size_t differing = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string what = difference_at(expected, i, actual[i]);
        if (what.empty()) continue;
        if (differing++ == 0) first = fmt::format("{}[{}] {}", expected.array, i, what);
    }
    if (differing <= expected.strays) return "";
    return fmt::format("{}; {} of {} elements differ, more than {}", first, differing, count,
                       expected.strays);
}

}  // namespace

std::string first_difference(std::span<const Expected> expected, const Arrays& actual) {
    for (const Expected& each : expected)
        if (std::string what = first_difference_of(each, actual.at(each.array)); !what.empty()) return what;
    return "";
}

}  // namespace muster::kernels
