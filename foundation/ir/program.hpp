// program.hpp - the IR: one compute entry point, typed and structured, immutable, cheap to copy and compare.
//
// Nodes lie in a flat arena and are addressed by 32-bit ids. A node is either
//   placed: it is in exactly one block, at one position, and is evaluated there, once per execution; or
//   free:   constants, built-in values and references (group `free`): hash-consed, evaluated where they are used.
// A placed node's value may be used by later nodes of its block and of blocks nested in those; a loop's
// continuing block also sees the values of its body block. Values leave a block only through variables. There
// are no pointers: a reference node names a place (a variable, then index and member steps). Its type is that
// of the value at the place; only load, store, atomics, array_length, extensions and further reference steps
// may have it as an operand.
//
// The arena is canonical: nodes are numbered in the order of a walk over the body (free operands first,
// when they are first met), and unused pure nodes, variables and types are gone. So two programs with
// the same structure have the same arena, whatever they were made from; names of locals and source
// locations are kept outside it.
//
// Operands and payload, per operation (for all others, the operands are the values and payload is 0):
//   constant      payload: offset into words(), or zero_constant. Components in order, no padding; bool as 0 or 1.
//   builtin       payload: the Builtin
//   ref_variable  payload: VariableId            ref_index   {place, index: i32 or u32}; of arrays and vectors
//   ref_member    {place}, payload: member       declare     {initial value} or {}: zero. payload: VariableId
//   load {place}; store {place, value}; array_length {place: the run-time array} -> u32
//   extract {composite}, payload: component, element or member     extract_dynamic {vector or array, index}
//   swizzle {vector}, payload: 2 bits per component, lowest first; the width is the type's
//   select {if false, if true, condition: bool or a bool vector of the same width}   splat {scalar} -> vector
//   compose {components or elements or members}: scalars to a vector, elements to an array, members to a structure
//   atomic_* {place, value} -> the old value (atomic_load {place}; atomic_store yields nothing)
//   atomic_compare_exchange {place, expected, value} -> the old value; it never fails spuriously
//   if_ {condition}, blocks: then, else          loop {}, blocks: body, continuing
//   break_if {condition}: only as the last node of a continuing block
//   switch_ {selector: i32 or u32}, blocks: one per case; switch_cases() gives the selectors of each
//   scope {}, blocks: body, which runs once; break_ leaves it (a function's early return becomes this)
//   break_ leaves the innermost loop, switch_ or scope; continue_ goes to the innermost loop's continuing block;
//   return_ ends the invocation. Control does not fall from one case into the next. Each of these ends its block.
//   subgroup_ballot {bool} -> vec4<u32>; subgroup_* {value} -> its type; subgroup_broadcast, _shuffle, _shuffle_up, _down and
//   _xor {value, u32}; payload: may_diverge, known_uniform or 0
//   extension     payload: index into extensions(); operands, references too, by its own rule (see grid_barrier.hpp)
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/digest.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster {
MUSTER_API_BEGIN

struct NodeId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const NodeId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};
struct BlockId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const BlockId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};
struct VariableId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const VariableId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};

inline constexpr std::uint32_t zero_constant = UINT32_MAX;
/// A subgroup operation's payload if control flow at it needn't be uniform over the subgroup; and if it is,
/// as validation has shown of the program that this one was made from. With 0, validation shows it.
inline constexpr std::uint32_t may_diverge = 1, known_uniform = 2;

struct Node {
    Op op = Op::constant;
    std::uint8_t reserved = 0;
    std::uint16_t block_count = 0;
    TypeId type;
    std::uint32_t first_operand = 0;
    std::uint32_t operand_count = 0;
    std::uint32_t first_block = 0;
    std::uint32_t payload = 0;
    bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 24);

enum class AddressSpace : std::uint8_t { function, private_, workgroup, storage, uniform };
enum class Access : std::uint8_t { read, write, read_write };
std::string_view name(AddressSpace space);
std::string_view name(Access access);

struct Variable {
    std::string name;
    TypeId type;
    AddressSpace space = AddressSpace::function;
    Access access = Access::read_write;  // as declared; storage: read or read_write; uniform: read
    std::uint32_t group = 0;             // storage, uniform
    std::uint32_t binding = 0;           // storage, uniform
    NodeId initial = {};                 // private: a constant node, or none for zero
    SourceLocation location = {};
    bool is_read = false;     // actual use by the program; filled in by the builder
    bool is_written = false;  // stores and atomics
    bool is_binding() const { return space == AddressSpace::storage || space == AddressSpace::uniform; }
};

struct Extent3 {
    std::uint32_t x = 1, y = 1, z = 1;
    constexpr auto operator<=>(const Extent3&) const = default;
    constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// A cryptographic hash of the structure: equal structures have equal fingerprints, and nobody can make two
/// structures of one fingerprint. The same on every machine and in every run of one muster version.
using Fingerprint = Digest;

/// The sizes that a device must offer to run the program, besides its operations and types.
struct ProgramNeeds {
    Extent3 workgroup_size;
    std::uint64_t workgroup_bytes = 0;  // workgroup memory
    std::uint64_t private_bytes = 0;    // private and function variables, per invocation
    std::uint32_t storage_bindings = 0;
    std::uint32_t uniform_bindings = 0;
    ScalarSet scalars;                // scalar types used
    bool wide_atomics = false;        // atomic operations on i64 or u64
    bool subgroups = false;           // subgroup operations or built-in values of subgroups
    std::uint32_t subgroup_size = 0;  // the size that the program asks for (@subgroup_size); 0: any
};

struct SwitchCase {
    std::span<const std::uint32_t> selectors;  // bits of the values; empty if the case is default alone
    bool is_default = false;
    BlockId block;
};

struct ProgramData;  // program_data.hpp: internal; the arenas

class Program {
  public:
    std::string_view entry() const;
    Extent3 workgroup_size() const;
    const TypeTable& types() const { return *types_; }

    std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
    const Node& node(NodeId id) const { return nodes_[id.index]; }
    std::span<const NodeId> operands(NodeId id) const {
        return {operands_ + node(id).first_operand, node(id).operand_count};
    }
    NodeId operand(NodeId id, std::uint32_t which) const { return operands(id)[which]; }
    std::span<const BlockId> blocks(NodeId id) const {  // control nodes only
        return {blocks_ + node(id).first_block, node(id).block_count};
    }
    std::vector<SwitchCase> switch_cases(NodeId id) const;
    TypeId type(NodeId id) const { return node(id).type; }

    /// A constant's scalar words; empty if it is zero throughout.
    std::span<const std::uint32_t> constant_words(NodeId id) const;

    BlockId body() const;
    std::uint32_t block_count() const;
    std::span<const NodeId> block(BlockId id) const;  // placed nodes, in order

    std::span<const Variable> variables() const;
    const Variable& variable(VariableId id) const { return variables()[id.index]; }
    /// Storage and uniform variables, ordered by (group, binding).
    std::span<const VariableId> bindings() const;
    std::span<const std::string> extensions() const;

    /// The name that a value was declared with; empty if it has none.
    std::string_view name(NodeId id) const;
    SourceLocation location(NodeId id) const;
    std::span<const SourceFile> files() const;
    const SourceFile& file(SourceLocation where) const { return files()[where.file]; }

    const OpSet& required_ops() const;
    const ProgramNeeds& needs() const;
    const Fingerprint& fingerprint() const;  // computed when it is first asked for

    /// The variable that a reference node starts from.
    VariableId root_variable(NodeId reference) const;

    explicit Program(std::shared_ptr<const ProgramData> data);
    const ProgramData& data() const { return *data_; }

  private:
    std::shared_ptr<const ProgramData> data_;
    // Parts of the data, which every analysis asks for all the time: inline.
    std::span<const Node> nodes_;
    const NodeId* operands_;
    const BlockId* blocks_;
    const TypeTable* types_;
};

/// Structural equality: compares the arenas and the fingerprints; ignores names of
/// locals and source locations.
bool same_structure(const Program& a, const Program& b);

MUSTER_API_END
}  // namespace muster
