#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/graph/pack/pack.hpp>
#include <muster/graph/parts/graph_part.hpp>
#include <muster/graph/run/device_tensor.hpp>
#include <muster/graph/run/plan_to_run.hpp>

namespace muster::graph {
namespace {

class Converter {
  public:
    Converter(Plan plan, std::map<std::size_t, OutsidePart> parts)
        : plan_(std::move(plan)), parts_(std::move(parts)) {}

    Result<RunPlan> convert() && {
        for (const std::int64_t bytes : plan_.slot_bytes)
            slots_.push_back(add_values(static_cast<std::uint64_t>(bytes)));
        TRY(add_constants());
        const std::span<const ValueId> inputs = plan_.graph.inputs(), outputs = plan_.graph.outputs();
        for (std::size_t i = 0; i < inputs.size(); ++i)
            run_.inputs.push_back(tensor(inputs[i], plan_.inputs[i]));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            run_.outputs.push_back(tensor(outputs[i], plan_.outputs[i]));
        for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
            if (plan_.groups[i].is_outside)
                add_part(plan_.groups[i], parts_.at(i));
            else
                add_group(plan_.groups[i]);
        }
        return std::move(run_);
    }

  private:
    std::uint32_t add_buffer(RunBuffer buffer) {
        run_.buffers.push_back(std::move(buffer));
        return static_cast<std::uint32_t>(run_.buffers.size() - 1);
    }
    std::uint32_t add_values(std::uint64_t bytes) { return add_buffer({.bytes = whole_words(bytes)}); }
    std::uint32_t add_weights(std::vector<std::byte> bytes) {
        bytes.resize(static_cast<std::size_t>(whole_words(bytes.size())));
        const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
        return add_buffer({.bytes = owner->size(), .weights = {.bytes = *owner, .owner = owner}});
    }
    static std::uint64_t whole_words(std::uint64_t bytes) {
        return std::max<std::uint64_t>((bytes + 3) / 4 * 4, 4);
    }

    Result<void> add_constants() {
        for (const ValueId id : plan_.constants) {
            const Value& value = plan_.graph.value(id);
            constants_.emplace(
                id.index, add_weights(TRY(during(
                              [&] { return fmt::format("uploading constant \"{}\"", printable(value.name)); },
                              to_device(*value.constant)))));
        }
        return {};
    }

    RunTensor tensor(ValueId id, const Storage& storage) const {
        return {.name = plan_.graph.value(id).name,
                .element = storage.element,
                .sizes = storage.sizes,
                .buffer = buffer(storage.place, {}, {}),
                .offset_bytes = static_cast<std::uint64_t>(storage.offset * stored_bytes(storage.element))};
    }

    std::uint32_t buffer(const PlanBuffer& place, std::span<const std::uint32_t> packed,
                         std::span<const std::uint32_t> scratch) const {
        switch (place.kind) {
            case PlanBufferKind::slot: return slots_[place.index];
            case PlanBufferKind::constant: return constants_.at(place.index);
            case PlanBufferKind::packed: return packed[place.index];
            case PlanBufferKind::scratch: break;
        }
        return scratch[place.index];
    }

    /// The program of a kernel's text, which several groups may share.
    std::uint32_t program(const std::string& wgsl, const PlannedGroup& planned) {
        const auto [found, is_new] =
            programs_.emplace(wgsl, static_cast<std::uint32_t>(run_.programs.size()));
        if (is_new) {
            run_.programs.push_back([wgsl = named(wgsl, planned)]() -> Result<ArtifactFile> {
                return ArtifactFile{TRY(program_of(wgsl)), {}};
            });
        }
        return found->second;
    }

    /// The text with the group's operators as the kernel's name, "Conv_Relu", for traces and profilers.
    std::string named(const std::string& wgsl, const PlannedGroup& planned) const {
        constexpr std::string_view start = "\nfn main(";
        constexpr std::size_t most_characters = 60;
        const std::size_t at = wgsl.find(start);
        if (at == std::string::npos) return wgsl;
        std::vector<std::string_view> operators;
        for (const NodeId node : planned.group.nodes) {
            const std::string_view name = info(plan_.graph.node(node).op).name;
            if (std::ranges::find(operators, name) == operators.end()) operators.push_back(name);
        }
        const std::string name = fmt::format("{}", fmt::join(operators, "_")).substr(0, most_characters);
        return std::string(wgsl).replace(at, start.size(), "\nfn " + name + "(");
    }

    RunStep step_of(const PlannedGroup& planned) const {
        RunStep step;
        for (const NodeId node : planned.group.nodes) step.nodes.push_back(plan_.graph.label(node));
        return step;
    }

    RunBinding binding(std::string name, const Storage& storage) const {
        const auto bytes = static_cast<std::uint64_t>(storage.count() * stored_bytes(storage.element));
        return {std::move(name), buffer(storage.place, {}, {}),
                static_cast<std::uint64_t>(storage.offset * stored_bytes(storage.element)),
                whole_words(bytes)};
    }

    void add_part(const PlannedGroup& planned, OutsidePart& part) {
        RunDispatch dispatch{.program = static_cast<std::uint32_t>(run_.programs.size()),
                             .step = static_cast<std::uint32_t>(run_.steps.size())};
        for (std::size_t i = 0; i < planned.inputs.size(); ++i)
            dispatch.bindings.push_back(binding(part_input(i), planned.inputs[i]));
        for (std::size_t i = 0; i < planned.outputs.size(); ++i)
            dispatch.bindings.push_back(binding(part_output(i), planned.outputs[i]));
        run_.programs.push_back([file = std::move(part.program)]() -> Result<ArtifactFile> { return file; });
        run_.dispatches.push_back(std::move(dispatch));
        run_.steps.push_back(step_of(planned));
        run_.steps.back().pattern = "compiled by " + part.backend;
    }

    void add_group(PlannedGroup& planned) {
        RunStep step = step_of(planned);
        if (planned.group.pattern) step.pattern = planned.group.pattern->name;
        std::vector<std::uint32_t> packed, scratch;
        for (PackedConstant& bytes : planned.kernels.packed) packed.push_back(add_weights(std::move(bytes)));
        for (const std::int64_t bytes : planned.kernels.scratch_bytes)
            scratch.push_back(add_values(static_cast<std::uint64_t>(bytes)));
        for (const KernelStep& kernel : planned.kernels.steps) {
            RunDispatch dispatch{.program = program(kernel.wgsl, planned),
                                 .step = static_cast<std::uint32_t>(run_.steps.size()),
                                 .workgroups = kernel.workgroups};
            for (const KernelBinding& binding : kernel.bindings)
                dispatch.bindings.push_back({binding.name, buffer(binding.place, packed, scratch)});
            run_.dispatches.push_back(std::move(dispatch));
        }
        run_.steps.push_back(std::move(step));
    }

    Plan plan_;
    std::map<std::size_t, OutsidePart> parts_;
    RunPlan run_;
    std::vector<std::uint32_t> slots_;
    std::map<std::uint32_t, std::uint32_t> constants_;
    std::map<std::string, std::uint32_t, std::less<>> programs_;  // by WGSL
};

}  // namespace

Result<ValidProgram> program_of(const std::string& wgsl) {
    return validate(TRY(wgsl::parse(wgsl, {.file = "kernel.wgsl"})));
}

Result<RunPlan> run_plan_of(Plan plan, std::map<std::size_t, OutsidePart> parts) {
    return Converter(std::move(plan), std::move(parts)).convert();
}

}  // namespace muster::graph
