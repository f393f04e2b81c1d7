#include <algorithm>
#include <array>
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

/// Keywords of C (to C23) and C++ (to C++23), and names from <stddef.h> and <stdint.h> that a WGSL
/// program may well use; sorted.
constexpr auto keywords = std::to_array<std::string_view>({
    "NULL",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "int32_t",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "uint32_t",
    "uint64_t",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
});
static_assert(std::ranges::is_sorted(keywords));

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_keyword(std::string_view name) { return std::ranges::binary_search(keywords, name); }

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

/// The name of a kernel called main, as most are: from the file, since a C program has its own main.
std::string name_of_file(const Program& program) {
    std::string_view name = program.files().empty() ? std::string_view() : program.files()[0].name;
    name.remove_prefix(name.find_last_of("/\\") + 1);
    name = name.substr(0, name.find('.'));
    return name.empty() || name == "main" ? "main_kernel" : c_identifier(name);
}

Result<std::string> entry_name(const Program& program, std::string_view symbol) {
    if (symbol.empty()) return c_name(program);
    const bool valid = std::ranges::all_of(symbol, is_plain) && !(symbol[0] >= '0' && symbol[0] <= '9') &&
                       !is_keyword(symbol) && symbol != "main";
    if (valid) return std::string(symbol);
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

std::string c_identifier(std::string_view name) {
    std::string result;
    for (const char c : name) {
        if (is_plain(c)) {
            result += c;
        } else {
            result += fmt::format("x{:02X}", static_cast<unsigned char>(c));
        }
    }
    if (result.empty() || (result[0] >= '0' && result[0] <= '9')) result.insert(0, 1, '_');
    if (is_keyword(result)) result += '_';
    return result;
}

std::string c_name(const Program& program) {
    const std::string name = c_identifier(program.entry());
    return name == "main" ? name_of_file(program) : name;
}

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
