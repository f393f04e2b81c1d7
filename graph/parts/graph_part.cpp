#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/parts/graph_part.hpp>
#include <muster/graph/text/graph_text.hpp>

namespace muster::graph {

Result<GraphPart> graph_part(const Graph& graph, const Group& nodes) {
    GraphBuilder builder("part");
    GraphPart part;
    std::map<ValueId, ValueId> values;
    for (const bool is_constant : {false, true}) {
        for (const ValueId input : nodes.inputs) {
            const Value& value = graph.value(input);
            if ((value.constant != nullptr) != is_constant) continue;
            values[input] = TRY(builder.input(value.name, value.type));
            if (is_constant) part.constants.push_back({value.name, value.constant->bytes()});
        }
    }
    for (const NodeId id : nodes.nodes) {
        const auto said = graph.attributes(id).said();
        NodeSpec spec{
            .op = graph.node(id).op, .name = graph.node(id).name, .attributes = {said.begin(), said.end()}};
        for (const ValueId input : graph.inputs(id))
            spec.inputs.push_back(input ? values.at(input) : ValueId());
        for (const ValueId output : graph.outputs(id))
            spec.outputs.push_back(output ? graph.value(output).name : std::string());
        const std::vector<ValueId> made = TRY(builder.node(std::move(spec)));
        for (std::size_t i = 0; i < made.size(); ++i)
            if (graph.outputs(id)[i]) values[graph.outputs(id)[i]] = made[i];
    }
    for (const ValueId output : nodes.outputs) TRY(builder.output(values.at(output)));
    part.text = print_graph(TRY(std::move(builder).finish()));
    return part;
}

std::string part_input(std::size_t which) { return fmt::format("input{}", which); }
std::string part_output(std::size_t which) { return fmt::format("output{}", which); }

Result<ValidProgram> part_program(std::string_view backend, std::size_t inputs, std::size_t outputs,
                                  std::span<const std::byte> code) {
    IrBuilder ir("part_of_model", {1, 1, 1});
    const TypeId words = ir.types().runtime_array(u32_type);
    const muster::NodeId first = ir.constant(std::uint32_t{0});
    std::uint32_t bindings = 0;
    const auto place = [&](std::string name, Access access) {
        return ir.ref_index(ir.ref(ir.variable({.name = std::move(name),
                                                .type = words,
                                                .space = AddressSpace::storage,
                                                .access = access,
                                                .binding = bindings++})),
                            first);
    };
    std::vector<muster::NodeId> operands;
    for (std::size_t i = 0; i < inputs; ++i) operands.push_back(ir.load(place(part_input(i), Access::read)));
    const Digest digest = digest_of(code);
    for (const std::uint64_t each : digest.words)
        for (const std::uint64_t word : {each >> 32, each & 0xffffffff})
            operands.push_back(ir.constant(static_cast<std::uint32_t>(word)));
    const muster::NodeId made = ir.extension(graph_extension(backend), u32_type, operands);
    for (std::size_t i = 0; i < outputs; ++i) ir.store(place(part_output(i), Access::read_write), made);
    return validate(TRY(std::move(ir).finish()));
}

Artifact part_artifact(const ValidProgram& program, const Execute& where, CompiledPart compiled,
                       const CompileOptions& options) {
    Artifact artifact = make_artifact(*program, options);
    artifact.bytes = std::move(compiled.bytes);
    artifact.format = graph_part_format;
    artifact.target = where.backend + ":" + where.device.arch;
    // A listing of the nodes stands for the source: an entry leads to its node's line.
    auto names = std::make_shared<std::string>();
    std::map<std::string, std::uint32_t, std::less<>> lines;
    for (const PartDebugEntry& entry : compiled.debug_map) {
        const auto [line, is_new] = lines.emplace(entry.node, static_cast<std::uint32_t>(lines.size() + 1));
        if (is_new) *names += entry.node + "\n";
        artifact.debug_map.push_back(
            {.target = entry.handle, .node = {}, .source = {.file = 0, .line = line->second, .column = 1}});
    }
    artifact.files = {{"nodes", std::move(names)}};
    return artifact;
}

}  // namespace muster::graph
