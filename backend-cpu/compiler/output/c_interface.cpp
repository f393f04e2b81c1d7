#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <muster/backend-cpu/compiler/output/c_interface.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

/// Largest scratch that the entry point takes from the stack: small enough for any thread on every system.
constexpr std::uint64_t stack_scratch_bytes = 32 * 1024;
constexpr std::uint64_t pointer_bytes = 8;

/// The names of one scope; take() makes a name unique.
class Names {
  public:
    std::string take(std::string name) {
        while (!taken_.insert(name).second) name += '_';
        return name;
    }

  private:
    std::set<std::string> taken_;
};

Result<std::string> entry_name(const Program& program, std::string_view symbol) {
    if (symbol.empty()) return c_name(program.entry(), program.files());
    if (c_identifier(symbol) == symbol && symbol != "main") return std::string(symbol);
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" can't be the name of a C function.", symbol),
                "give a name of letters, digits and underscores that is neither a keyword nor \"main\"");
}

/// Appends the structures that a type consists of, then the type itself if it is one.
void collect_structures(const TypeTable& types, TypeId id, Names& names, CInterface& interface) {
    const Type& type = types[id];
    if (type.kind == TypeKind::array) collect_structures(types, type.element, names, interface);
    if (type.kind != TypeKind::structure) return;
    if (std::ranges::find(interface.structures, id, &CStructure::type) != interface.structures.end()) return;
    for (const Member& member : type.members) collect_structures(types, member.type, names, interface);
    interface.structures.push_back(
        {id, "struct " + names.take(interface.name + "_" + c_identifier(type.name))});
}

/// Finds the binding's fixed size, and the stride of its run-time array if it has one.
void measure(const TypeTable& types, CBinding& binding, TypeId id) {
    const Type& type = types[id];
    binding.has_count = types.has_runtime_array(id);
    if (!binding.has_count) {
        binding.fixed_bytes = type.size;
        return;
    }
    const bool is_array = type.kind == TypeKind::array;
    binding.fixed_bytes = is_array ? 0 : type.members.back().offset;
    binding.stride = types[is_array ? id : type.members.back().type].stride;
}

/// Lays the binding out as C does in a struct: each member at a multiple of its own alignment.
void place(CBinding& binding, std::uint64_t& end) {
    const std::uint64_t align = binding.by_value ? 4 : pointer_bytes;
    binding.offset = round_up(end, align);
    end = binding.offset + (binding.by_value ? binding.fixed_bytes : pointer_bytes);
    if (!binding.has_count) return;
    binding.count_offset = round_up(end, pointer_bytes);
    end = binding.count_offset + pointer_bytes;
}

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

}  // namespace

Result<CInterface> c_interface(const Program& program, std::string_view symbol,
                               std::uint64_t kernel_scratch_bytes) {
    CInterface interface;
    interface.name = TRY(entry_name(program, symbol));
    interface.macro_prefix = upper(interface.name);
    interface.scratch_bytes = kernel_scratch_bytes == 0 ? 0 : kernel_scratch_bytes + scratch_align - 1;
    interface.scratch_on_stack = kernel_scratch_bytes <= stack_scratch_bytes;
    Names structure_names, member_names;
    structure_names.take(interface.name + "_bindings");
    std::uint64_t end = 0, align = 1;
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        CBinding binding;
        binding.variable = id;
        binding.name = member_names.take(c_identifier(variable.name));
        binding.by_value = variable.space == AddressSpace::uniform;
        measure(program.types(), binding, variable.type);
        if (binding.has_count) binding.count_name = member_names.take(binding.name + "_count");
        place(binding, end);
        align = std::max(align, binding.by_value ? 4 : pointer_bytes);
        collect_structures(program.types(), variable.type, structure_names, interface);
        interface.bindings.push_back(std::move(binding));
    }
    interface.bindings_bytes = round_up(end, align);
    return interface;
}

}  // namespace muster::cpu
