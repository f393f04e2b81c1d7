#include <array>

#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/ir/program_data.hpp>

namespace muster {

std::string_view name(AddressSpace space) { return enum_name(space); }

std::string_view name(Access access) { return enum_name(access); }

Program::Program(std::shared_ptr<const ProgramData> data)
    : data_(std::move(data)),
      nodes_(data_->nodes),
      operands_(data_->operands.data()),
      blocks_(data_->node_blocks.data()),
      types_(&data_->types) {}

std::string_view Program::entry() const { return data_->entry; }
Extent3 Program::workgroup_size() const { return data_->workgroup_size; }

std::vector<SwitchCase> Program::switch_cases(NodeId id) const {
    std::vector<SwitchCase> cases;
    std::size_t at = node(id).payload;
    for (BlockId block : blocks(id)) {
        const std::uint32_t count = data_->words[at];
        const bool is_default = data_->words[at + 1] != 0;
        cases.push_back({std::span(data_->words).subspan(at + 2, count), is_default, block});
        at += 2 + count;
    }
    return cases;
}

std::span<const std::uint32_t> Program::constant_words(NodeId id) const {
    const Node& of = node(id);
    if (of.payload == zero_constant) return {};
    return std::span(data_->words).subspan(of.payload, data_->types.scalar_words(of.type));
}

BlockId Program::body() const { return data_->body; }
std::uint32_t Program::block_count() const { return static_cast<std::uint32_t>(data_->blocks.size()); }

std::span<const NodeId> Program::block(BlockId id) const {
    const ProgramData::Block& of = data_->blocks[id.index];
    return std::span(data_->block_nodes).subspan(of.first, of.count);
}

std::span<const Variable> Program::variables() const { return data_->variables; }
std::span<const VariableId> Program::bindings() const { return data_->bindings; }
std::span<const std::string> Program::extensions() const { return data_->extensions; }

std::string_view Program::name(NodeId id) const {
    const auto found = data_->names.find(id.index);
    return found == data_->names.end() ? std::string_view{} : std::string_view{found->second};
}

SourceLocation Program::location(NodeId id) const { return data_->locations[id.index]; }
std::span<const SourceFile> Program::files() const { return data_->files; }
const OpSet& Program::required_ops() const { return data_->required_ops; }
const ProgramNeeds& Program::needs() const { return data_->needs; }
const Fingerprint& Program::fingerprint() const { return data_->fingerprint.of(*data_); }

VariableId Program::root_variable(NodeId reference) const {
    while (node(reference).op != Op::ref_variable) reference = operand(reference, 0);
    return VariableId{node(reference).payload};
}

bool same_structure(const Program& a, const Program& b) {
    const ProgramData& x = a.data();
    const ProgramData& y = b.data();
    return a.fingerprint() == b.fingerprint() && x.nodes == y.nodes && x.operands == y.operands &&
           x.node_blocks == y.node_blocks && x.words == y.words && x.blocks == y.blocks &&
           x.block_nodes == y.block_nodes;
}

}  // namespace muster
