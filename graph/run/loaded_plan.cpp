#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include <muster/driver/support/in_parallel.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/run/device_tensor.hpp>
#include <muster/graph/run/loaded_plan.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster::graph {
namespace {

bool uses(const Program& program, std::string_view name) {
    return std::ranges::any_of(program.bindings(),
                               [&](VariableId id) { return program.variable(id).name == name; });
}

std::uint64_t stored_size(const RunTensor& tensor) {
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.sizes) count *= static_cast<std::uint64_t>(size);
    return count * device_bytes(tensor.element);
}

/// The programs that are dispatched, in the order of their first steps.
std::vector<std::uint32_t> programs_in_order(const RunPlan& plan) {
    std::vector<bool> is_known(plan.programs.size());
    std::vector<std::uint32_t> order;
    for (const RunDispatch& dispatch : plan.dispatches) {
        if (!is_known[dispatch.program]) order.push_back(dispatch.program);
        is_known[dispatch.program] = true;
    }
    return order;
}

Result<void> check_hash(const Weights& weights) {
    if (weights.hashed.empty() || XXH3_64bits(weights.hashed.data(), weights.hashed.size()) == weights.hash)
        return {};
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The model's weights are damaged: the hash of {} bytes is wrong.", weights.bytes.size()),
        "emit the artifact again, or copy it again");
}

/// Keeps memory for good that a device may still use.
void leak(std::vector<std::shared_ptr<const void>> owners) {
    static std::mutex mutex;
    static auto* const leaked = new std::vector<std::shared_ptr<const void>>;
    const std::lock_guard lock(mutex);
    leaked->insert(leaked->end(), owners.begin(), owners.end());
}

}  // namespace

std::string nodes_text(const RunStep& step) { return fmt::format("node {}", fmt::join(step.nodes, ", ")); }

std::vector<std::optional<std::uint32_t>> steps_of_programs(const RunPlan& plan) {
    std::vector<std::optional<std::uint32_t>> steps(plan.programs.size());
    for (const RunDispatch& dispatch : plan.dispatches)
        if (!steps[dispatch.program]) steps[dispatch.program] = dispatch.step;
    return steps;
}

Result<std::unique_ptr<LoadedPlan>> LoadedPlan::load(Session session, RunPlan plan,
                                                     const CompileOptions& options) {
    std::unique_ptr<LoadedPlan> loaded(new LoadedPlan(std::move(session), std::move(plan)));
    TRY(loaded->prepare(options));
    TRY(loaded->check_memory());
    TRY(loaded->make_buffers());
    TRY(loaded->record());
    return loaded;
}

LoadedPlan::~LoadedPlan() {
    if (has_failed_) leak(std::move(owners_));
}

Result<void> LoadedPlan::prepare(const CompileOptions& options) {
    kernels_.resize(plan_.programs.size());
    const std::vector<std::uint32_t> programs = programs_in_order(plan_);
    const std::vector<std::optional<std::uint32_t>> steps = steps_of_programs(plan_);
    const auto prepare_one = [&](std::uint32_t which) -> Result<void> {
        kernels_[which] = TRY(session_.prepare(TRY(plan_.programs[which]()), options));
        return {};
    };
    TRY(in_parallel(programs.size() + plan_.buffers.size(), [&](std::size_t i) -> Result<void> {
        if (i >= programs.size()) return check_hash(plan_.buffers[i - programs.size()].weights);
        const std::uint32_t which = programs[i];
        return during([&] { return "preparing " + nodes_text(plan_.steps[*steps[which]]); },
                      prepare_one(which));
    }));
    plan_.programs.clear();
    return {};
}

/// Refuses what can't fit the memory of a device, before any of it is uploaded.
Result<void> LoadedPlan::check_memory() const {
    struct Need {
        std::uint64_t has = 0, weights = 0, values = 0;
        std::set<std::uint32_t> buffers;
    };
    std::map<std::string, Need> needs;  // by device
    for (const RunDispatch& dispatch : plan_.dispatches) {
        const Kernel& kernel = *kernels_[dispatch.program];
        Need& need = needs[device_id(kernel.backend(), kernel.device())];
        need.has = kernel.device().memory_bytes;
        for (const RunBinding& binding : dispatch.bindings) {
            const RunBuffer& buffer = plan_.buffers[binding.buffer];
            if (!uses(*kernel.program(), binding.name) || !need.buffers.insert(binding.buffer).second)
                continue;
            (buffer.weights.bytes.empty() ? need.values : need.weights) += buffer.bytes;
        }
    }
    for (const auto& [device, need] : needs) {
        const std::uint64_t sum = need.weights + need.values;
        if (need.has == 0 || sum <= need.has) continue;  // 0: the device doesn't say
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "The model takes {} bytes on {}, for weights {} and for values {}, and the device has {}.",
                sum, device, need.weights, need.values, need.has),
            "run it on a device with more memory, with smaller inputs, or as a model of integers (muster "
            "quantize)");
    }
    return {};
}

Result<void> LoadedPlan::make_buffers() {
    // A GPU has a copy of its own: the host needs none.
    const bool stay_on_host = std::ranges::all_of(kernels_, [](const std::optional<Kernel>& kernel) {
        return !kernel || kernel->device().kind == DeviceKind::cpu;
    });
    for (RunBuffer& each : plan_.buffers) {
        const bool has_weights = !each.weights.bytes.empty();
        buffers_.push_back(
            TRY(has_weights ? make_weights(each.weights, stay_on_host) : session_.buffer(each.bytes)));
        (has_weights ? weight_bytes_ : activation_bytes_) += each.bytes;
    }
    return {};
}

Result<Buffer> LoadedPlan::make_weights(Weights& weights, bool stay_on_host) {
    const Weights taken = std::exchange(weights, {});
    if (!taken.is_kept && !stay_on_host) return session_.buffer_from(taken.bytes);
    owners_.push_back(taken.owner);
    return session_.buffer_over(taken.bytes);
}

Result<void> LoadedPlan::record() {
    routes_.resize(plan_.steps.size());
    for (const RunDispatch& dispatch : plan_.dispatches) {
        TRY(during([&] { return "preparing " + nodes_text(plan_.steps[dispatch.step]); }, record(dispatch)));
    }
    return {};
}

BufferRange LoadedPlan::range_of(const RunBinding& binding) const {
    if (binding.bytes == 0) return {buffers_[binding.buffer]};
    return {buffers_[binding.buffer], binding.offset, binding.bytes};
}

/// Adds a kernel to the sequence; to a new one if it runs on another device than those before it.
Result<void> LoadedPlan::record(const RunDispatch& dispatch) {
    const Kernel& kernel = *kernels_[dispatch.program];
    if (!routes_[dispatch.step]) routes_[dispatch.step] = kernel.route();
    const std::string device = device_id(kernel.backend(), kernel.device());
    if (sequences_.empty() || device != last_device_) sequences_.push_back(session_.sequence());
    last_device_ = device;
    std::vector<Argument> arguments;
    for (const RunBinding& binding : dispatch.bindings) {
        // A tensor that a kernel loads and then doesn't need isn't a binding.
        if (uses(*kernel.program(), binding.name)) arguments.emplace_back(binding.name, range_of(binding));
    }
    const auto& [x, y, z] = dispatch.workgroups;
    TRY(sequences_.back().dispatch(kernel, arguments, Workgroups{x, y, z}));
    dispatches_.push_back({kernel, std::move(arguments), Workgroups{x, y, z}, dispatch.step});
    return {};
}

Result<void> LoadedPlan::write(std::span<const Tensor> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const RunTensor& to = plan_.inputs[i];
        if (inputs[i].count() == 0) continue;
        Buffer& buffer = buffers_[to.buffer];
        if (is_stored_as_is(inputs[i].element()) && inputs[i].bytes().size() % 4 == 0) {
            TRY(buffer.write_bytes(inputs[i].bytes(), to.offset_bytes));
            continue;
        }
        const auto name = [&] { return fmt::format("uploading input \"{}\"", printable(to.name)); };
        TRY(buffer.write_bytes(TRY(during(name, to_device(inputs[i]))), to.offset_bytes));
    }
    return {};
}

Result<std::vector<KernelTime>> LoadedPlan::time_each() {
    std::vector<KernelTime> times;
    double start = 0;
    for (const Dispatch& each : dispatches_) {
        const auto began = std::chrono::steady_clock::now();
        Ticket ticket = TRY(session_.dispatch(each.kernel, each.arguments, each.workgroups));
        TRY(ticket.wait());
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
        times.push_back({each.step, start, ms});
        start += ms;
    }
    return times;
}

Result<std::vector<KernelTime>> LoadedPlan::profile(std::span<const Tensor> inputs) {
    const std::lock_guard lock(mutex_);
    TRY(write(inputs));
    auto times = time_each();
    has_failed_ = has_failed_ || !times;
    return times;
}

Result<void> LoadedPlan::submit() {
    const Result<void> ran = submit_all();
    if (ran || ran.error().code != ErrorCode::out_of_memory) return ran;
    return during(
        [&] {
            return fmt::format("running a model with {} bytes of weights and {} of values on {}",
                               weight_bytes_, activation_bytes_, last_device_);
        },
        ran);
}

Result<void> LoadedPlan::submit_all() {
    std::vector<Ticket> tickets;
    for (const Sequence& sequence : sequences_) tickets.push_back(TRY(sequence.submit()));
    for (Ticket& ticket : tickets) TRY(ticket.wait());
    return {};
}

Result<std::vector<Tensor>> LoadedPlan::run(std::span<const Tensor> inputs) {
    const std::lock_guard lock(mutex_);
    const trace::Span span(trace::Stage::model);
    TRY(write(inputs));
    const Result<void> ran = submit();
    has_failed_ = has_failed_ || !ran;
    if (!ran) return std::unexpected(ran.error());
    std::vector<Tensor> outputs;
    for (const RunTensor& from : plan_.outputs) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(stored_size(from)));
        if (!bytes.empty()) TRY(buffers_[from.buffer].read_bytes(bytes, from.offset_bytes));
        outputs.push_back(from_device(from.element, from.sizes, std::move(bytes)));
    }
    return outputs;
}

}  // namespace muster::graph
