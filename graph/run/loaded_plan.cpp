#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/graph/run/device_tensor.hpp>
#include <muster/graph/run/loaded_plan.hpp>

namespace muster::graph {
namespace {

bool uses(const Program& program, std::string_view name) {
    return std::ranges::any_of(program.bindings(),
                               [&](VariableId id) { return program.variable(id).name == name; });
}

std::uint64_t offset_bytes(const Storage& storage) {
    return static_cast<std::uint64_t>(storage.offset * stored_bytes(storage.element));
}

}  // namespace

Result<ValidProgram> program_of(const KernelStep& step) {
    return validate(TRY(wgsl::parse(step.wgsl, {.file = "kernel.wgsl"})));
}

Result<std::unique_ptr<LoadedPlan>> LoadedPlan::load(Session session, Plan plan, ModelSummary summary,
                                                     const ModelOptions& options) {
    std::unique_ptr<LoadedPlan> loaded(
        new LoadedPlan(std::move(session), std::move(plan), std::move(summary)));
    TRY(loaded->upload());
    TRY(loaded->record(options));
    return loaded;
}

Result<void> LoadedPlan::upload() {
    for (const std::int64_t bytes : plan_.slot_bytes) {
        slots_.push_back(TRY(session_.buffer(static_cast<std::uint64_t>((bytes + 3) / 4 * 4))));
        summary_.activation_bytes += slots_.back().bytes();
    }
    for (const ValueId id : plan_.constants) {
        const Value& value = plan_.graph.value(id);
        std::vector<std::byte> bytes =
            TRY(during([&] { return fmt::format("uploading constant \"{}\"", printable(value.name)); },
                       to_device(*value.constant)));
        bytes.resize(std::max<std::size_t>((bytes.size() + 3) / 4 * 4, 4));
        constants_.emplace(id.index, TRY(session_.buffer_from(bytes)));
        summary_.weight_bytes += bytes.size();
    }
    return {};
}

Result<Kernel> LoadedPlan::kernel(const KernelStep& step, const CompileOptions& options) {
    if (const auto found = kernels_.find(step.wgsl); found != kernels_.end()) return found->second;
    const ValidProgram program = TRY(program_of(step));
    Kernel kernel = TRY(session_.prepare(program, options));
    kernels_.emplace(step.wgsl, kernel);
    return kernel;
}

Result<Buffer> LoadedPlan::buffer(const Place& place, const std::vector<Buffer>& packed,
                                  const std::vector<Buffer>& scratch) {
    switch (place.kind) {
        case PlaceKind::slot: return slots_[place.index];
        case PlaceKind::constant: return constants_.at(place.index);
        case PlaceKind::packed: return packed[place.index];
        case PlaceKind::scratch: return scratch[place.index];
    }
    return fail(ErrorCode::internal, "A kernel binds a place of an unknown kind.");
}

Result<void> LoadedPlan::record(const ModelOptions& options) {
    for (std::size_t which = 0; which < plan_.groups.size(); ++which) {
        TRY(during(
            [&] { return fmt::format("preparing node {}", fmt::join(summary_.steps[which].nodes, ", ")); },
            record_group(which, options)));
    }
    return {};
}

/// Adds a group's kernels to the sequence; to a new one if they run on another device than those before.
Result<void> LoadedPlan::record_group(std::size_t which, const ModelOptions& options) {
    GroupKernels& kernels = plan_.groups[which].kernels;
    std::vector<Buffer> packed, scratch;
    for (PackedConstant& bytes : kernels.packed) {
        bytes.resize((bytes.size() + 3) / 4 * 4);
        packed.push_back(TRY(session_.buffer_from(bytes)));
        summary_.weight_bytes += bytes.size();
        bytes = {};
    }
    for (const std::int64_t needed : kernels.scratch_bytes) {
        const auto bytes = std::max<std::uint64_t>(static_cast<std::uint64_t>((needed + 3) / 4 * 4), 4);
        scratch.push_back(TRY(session_.buffer(bytes)));
        summary_.activation_bytes += bytes;
    }
    for (const KernelStep& step : kernels.steps) {
        const Kernel kernel = TRY(this->kernel(step, options.compile));
        if (!summary_.steps[which].route) summary_.steps[which].route = kernel.route();
        const std::string device = device_id(kernel.backend(), kernel.device());
        if (sequences_.empty() || device != last_device_) sequences_.push_back(session_.sequence());
        last_device_ = device;
        std::vector<Argument> arguments;
        for (const KernelBinding& binding : step.bindings) {
            // What a kernel loads and then doesn't need is no binding.
            if (uses(kernel.program(), binding.name))
                arguments.emplace_back(binding.name, TRY(buffer(binding.place, packed, scratch)));
        }
        const auto& [x, y, z] = step.workgroups;
        TRY(sequences_.back().dispatch(kernel, arguments, Workgroups{x, y, z}));
        dispatches_.push_back({kernel, std::move(arguments), Workgroups{x, y, z}, which});
    }
    return {};
}

Result<void> LoadedPlan::write(std::span<const Tensor> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Storage& storage = plan_.inputs[i];
        if (inputs[i].count() == 0) continue;
        Buffer& slot = slots_[storage.place.index];
        if (is_stored_as_is(inputs[i].element()) && inputs[i].bytes().size() % 4 == 0) {
            TRY(slot.write_bytes(inputs[i].bytes(), offset_bytes(storage)));
            continue;
        }
        const auto name = [&] {
            return fmt::format("uploading input \"{}\"",
                               printable(plan_.graph.value(plan_.graph.inputs()[i]).name));
        };
        TRY(slot.write_bytes(TRY(during(name, to_device(inputs[i]))), offset_bytes(storage)));
    }
    return {};
}

Result<std::vector<KernelTime>> LoadedPlan::profile(std::span<const Tensor> inputs) {
    const std::lock_guard lock(mutex_);
    TRY(write(inputs));
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

Result<std::vector<Tensor>> LoadedPlan::run(std::span<const Tensor> inputs) {
    const std::lock_guard lock(mutex_);
    TRY(write(inputs));
    std::vector<Ticket> tickets;
    for (const Sequence& sequence : sequences_) tickets.push_back(TRY(sequence.submit()));
    for (Ticket& ticket : tickets) TRY(ticket.wait());
    std::vector<Tensor> outputs;
    for (const Storage& storage : plan_.outputs) {
        std::vector<std::byte> bytes(
            static_cast<std::size_t>(storage.count() * stored_bytes(storage.element)));
        const Buffer from = TRY(buffer(storage.place, {}, {}));
        if (!bytes.empty()) TRY(from.read_bytes(bytes, offset_bytes(storage)));
        outputs.push_back(from_device(storage.element, storage.sizes, std::move(bytes)));
    }
    return outputs;
}

}  // namespace muster::graph
