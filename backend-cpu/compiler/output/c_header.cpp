#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <muster/backend-cpu/compiler/output/c_header.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cpu {
namespace {

/// Makes the text safe for one line of a comment: it can't end the comment.
std::string plain(std::string_view text) {
    std::string result;
    for (const char c : text) result += (c >= ' ' && c <= '~' && c != '*' && c != '\\') ? c : '?';
    return result;
}

class Header {
  public:
    Header(const Program& program, const CInterface& interface, std::string_view arch,
           const CompileOptions& options)
        : program_(program), c_(interface), types_(program.types()), arch_(arch), options_(options) {}

    std::string write() {
        introduction();
        line("#ifndef {}_H\n#define {}_H\n", c_.macro_prefix, c_.macro_prefix);
        line("#include <stddef.h>\n#include <stdint.h>\n");
        line("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
        for (const CStructure& structure : c_.structures) define(structure);
        bindings();
        constants();
        entry_points();
        line("#ifdef __cplusplus\n}}\n#endif\n\n#endif");
        return std::move(text_);
    }

  private:
    template <class... Arguments>
    void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
        text_ += '\n';
    }

    std::string source() const {
        return program_.files().empty() ? "a program" : plain(program_.files()[0].name);
    }

    void introduction() {
        const Extent3 size = program_.workgroup_size();
        line("/* {}.h - the compute kernel {} of {},", c_.name, plain(program_.entry()), source());
        line(" * compiled by muster {} for {}. Generated: changes are lost.", MUSTER_VERSION, arch_);
        line(" *");
        line(
            " * Link the object file; it needs no library, neither muster nor libm. To run n invocations in "
            "x:");
        line(" *");
        line(" *     struct {}_bindings bindings;", c_.name);
        for (const CBinding& binding : c_.bindings) {
            line(" *     bindings.{} = ...;", binding.name);
            if (binding.has_count) line(" *     bindings.{} = ...;", binding.count_name);
        }
        if (!c_.scratch_on_stack) line(" *     void *scratch = malloc({}_SCRATCH_BYTES);", c_.macro_prefix);
        line(" *     {}(&bindings, (n + {}) / {}, 1, 1{});", c_.name, size.x - 1, size.x,
             c_.scratch_on_stack ? "" : ", scratch");
        line(" *");
        line(
            " * What the kernel writes must overlap nothing else that it is given. Memory needs the "
            "alignment of its C");
        line(" * type and no more. {}",
             options_.unchecked ? "Nothing is checked: an index out of bounds is undefined behaviour."
                                : "An index out of bounds is harmless: loads give zero, stores do nothing.");
        line(" * Numbers: {}; the caller leaves the floating-point mode as the system has it",
             options_.precision == Precision::exact ? "exact, as muster defines them"
                                                    : "fast, within WGSL's error bounds");
        line(" * (round to nearest, subnormals kept). Threads: any, also several at once in one kernel.");
        line(" * The processor has to be {} or better; on another one the kernel isn't defined. */", arch_);
    }

    static std::string_view c_scalar(Scalar scalar) {
        switch (scalar) {
            case Scalar::boolean: return "uint32_t";
            case Scalar::i32: return "int32_t";
            case Scalar::u32: return "uint32_t";
            case Scalar::f32: return "float";
            case Scalar::f16: return "uint16_t";  // its bits
            case Scalar::i8: return "int8_t";
            case Scalar::u8: return "uint8_t";
            case Scalar::i16: return "int16_t";
            case Scalar::u16: return "uint16_t";
            case Scalar::i64: return "int64_t";
            case Scalar::u64: return "uint64_t";
            case Scalar::f64: return "double";
        }
        return {};
    }

    const std::string& structure_name(TypeId id) const {
        return std::ranges::find(c_.structures, id, &CStructure::type)->name;
    }

    /// A C declaration's text before and after the name: "float" and "[3][4]".
    struct Parts {
        std::string before, after;
    };
    Parts parts(TypeId id) const {
        const Type& type = types_[id];
        switch (type.kind) {
            case TypeKind::none:
            case TypeKind::scalar:
            case TypeKind::atomic: return {std::string(c_scalar(type.scalar)), ""};
            case TypeKind::vector:
                return {std::string(c_scalar(type.scalar)), fmt::format("[{}]", type.width)};
            case TypeKind::structure: return {structure_name(id), ""};
            case TypeKind::array: break;
        }
        Parts element = parts(type.element);
        const Type& element_type = types_[type.element];
        // In an array, a vec3 takes the room of four scalars.
        if (element_type.kind == TypeKind::vector)
            element.after = fmt::format("[{}]", type.stride / info(element_type.scalar).bytes);
        return {element.before, fmt::format("[{}]", type.count) + element.after};
    }

    std::string declare(TypeId id, const std::string& name) const {
        const auto [before, after] = parts(id);
        return before + " " + name + after;
    }

    void define(const CStructure& structure) {
        const Type& type = types_[structure.type];
        line("/* WGSL: {}{}. */", plain(type.name),
             type.contains_runtime_array ? ", which ends in an array as long as its count says" : "");
        line("{} {{", structure.name);
        std::set<std::string> names;
        std::uint64_t end = 0;
        for (const Member& member : type.members) {
            pad(names, end, member.offset);
            std::string name = c_identifier(member.name);
            while (!names.insert(name).second) name += '_';
            end = define_member(member, name);
        }
        if (!type.contains_runtime_array) pad(names, end, type.size);
        line("}};");
        const std::string_view tag =
            std::string_view(structure.name).substr(std::string_view("struct ").size());
        if (!type.contains_runtime_array)
            line("typedef char {}_has_its_size[sizeof({}) == {} ? 1 : -1];", tag, structure.name, type.size);
        line("");
    }

    /// Writes the member's declaration and returns the offset of its end.
    std::uint64_t define_member(const Member& member, const std::string& name) {
        const Type& type = types_[member.type];
        const std::string comment = plain(types_.name(member.type));
        if (!type.is_runtime_array()) {
            line("    {}; /* {} at byte {} */", declare(member.type, name), comment, member.offset);
            return member.offset + type.size;
        }
        const Parts element = [&] {
            Parts result = parts(type.element);
            if (const Type& of = types_[type.element]; of.kind == TypeKind::vector)
                result.after = fmt::format("[{}]", type.stride / info(of.scalar).bytes);
            return result;
        }();
        line("#ifdef __cplusplus /* which has no arrays of unknown length here */");
        line("    {} {}[1]{};\n#else", element.before, name, element.after);
        line("    {} {}[]{}; /* {} at byte {} */\n#endif", element.before, name, element.after, comment,
             member.offset);
        return member.offset;
    }

    void pad(std::set<std::string>& names, std::uint64_t from, std::uint64_t to) {
        if (from >= to) return;
        std::string name = fmt::format("padding_{}", from);
        while (!names.insert(name).second) name += '_';
        const std::uint64_t bytes = (from | to) % 4 == 0 ? 4 : (from | to) % 2 == 0 ? 2 : 1;
        line("    uint{}_t {}[{}];", 8 * bytes, name, (to - from) / bytes);
    }

    void bindings() {
        line("/* What the kernel reads and writes. */");
        line("struct {}_bindings {{", c_.name);
        for (const CBinding& binding : c_.bindings) {
            const Variable& variable = program_.variable(binding.variable);
            const std::string where = fmt::format("@group({}) @binding({}): {}", variable.group,
                                                  variable.binding, plain(types_.name(variable.type)));
            if (binding.by_value) {
                line("    {}; /* {} */", declare(variable.type, binding.name), where);
                continue;
            }
            line("    {}{} *{}; /* {} */", variable.is_written ? "" : "const ", pointed_to(variable.type),
                 binding.name, where);
            if (binding.has_count)
                line("    size_t {}; /* {} */", binding.count_name, count_meaning(binding));
        }
        if (c_.bindings.empty()) line("    int none; /* it has no bindings */");
        line("}};");
        if (!c_.bindings.empty())
            line("typedef char {}_bindings_has_its_size[sizeof(struct {}_bindings) == {} ? 1 : -1];", c_.name,
                 c_.name, c_.bindings_bytes);
        line("");
    }

    /// The type that a binding's pointer points to: an array's innermost scalar or structure.
    std::string pointed_to(TypeId id) const {
        while (types_[id].kind == TypeKind::array) id = types_[id].element;
        return parts(id).before;
    }

    std::string count_meaning(const CBinding& binding) const {
        TypeId array = program_.variable(binding.variable).type;
        std::string what = "elements at " + binding.name;
        if (types_[array].kind == TypeKind::structure) {
            const Member& last = types_[array].members.back();
            what = fmt::format("elements at {}->{}", binding.name, c_identifier(last.name));
            array = last.type;
        }
        const Type& element = types_[types_[array].element];
        if (element.kind == TypeKind::structure || types_[array].stride == 4) return what;
        return fmt::format(
            "{}, of {} bytes each{}", what, types_[array].stride,
            element.kind == TypeKind::vector && element.width == 3 ? ", the last 4 unused" : "");
    }

    void constants() {
        const Extent3 size = program_.workgroup_size();
        line("/* Invocations in one workgroup. */");
        line("#define {}_WORKGROUP_X {}", c_.macro_prefix, size.x);
        line("#define {}_WORKGROUP_Y {}", c_.macro_prefix, size.y);
        line("#define {}_WORKGROUP_Z {}\n", c_.macro_prefix, size.z);
        line("/* Bytes of working memory that one thread needs; aligned or not, with any content{}. */",
             c_.scratch_bytes == 0 ? ": none, NULL will do" : "");
        line("#define {}_SCRATCH_BYTES {}\n", c_.macro_prefix, c_.scratch_bytes);
    }

    void entry_points() {
        const std::string grid = "uint32_t workgroups_x, uint32_t workgroups_y, uint32_t workgroups_z";
        line(
            "/* Runs workgroups_x * workgroups_y * workgroups_z workgroups, one after the other, in this "
            "thread{}. */",
            c_.scratch_on_stack
                ? ""
                : fmt::format(". scratch: {}_SCRATCH_BYTES that no other thread uses meanwhile",
                              c_.macro_prefix));
        line("void {}(const struct {}_bindings *bindings,\n    {}{});\n", c_.name, c_.name, grid,
             c_.scratch_on_stack ? "" : ",\n    void *scratch");
        line(
            "/* Runs workgroups begin to end - 1 of them, counted with x fastest: a part, so that threads "
            "can share the");
        line(
            " * work. Thread t of n runs total * t / n up to total * (t + 1) / n, of a uint64_t total; each "
            "has its own");
        line(" * scratch of {}_SCRATCH_BYTES. end is at most the number of workgroups. */", c_.macro_prefix);
        line(
            "void {}_part(const struct {}_bindings *bindings,\n    {},\n    uint64_t begin, uint64_t end, "
            "void *scratch);\n",
            c_.name, c_.name, grid);
    }

    const Program& program_;
    const CInterface& c_;
    const TypeTable& types_;
    std::string_view arch_;
    const CompileOptions& options_;
    std::string text_;
};

}  // namespace

std::string c_header(const Program& program, const CInterface& interface, std::string_view arch,
                     const CompileOptions& options) {
    return Header(program, interface, arch, options).write();
}

}  // namespace muster::cpu
