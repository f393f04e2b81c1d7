#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <muster/driver/c_table/code.hpp>
#include <muster/driver/c_table/dialect.hpp>
#include <muster/driver/c_table/properties.hpp>
#include <muster/driver/c_text/lower.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

namespace muster::c_table {
namespace {

// The words of `load_data`: these, then three for each binding.
enum Fact : std::size_t { schema, flags, workgroup_bytes, private_bytes, fact_count };
enum BindingFact : std::size_t { array_stride, array_offset, is_written, binding_fact_count };
constexpr std::uint64_t newest_schema = 1;

std::vector<std::byte> facts_of(const Program& program, std::uint32_t its_flags) {
    const ProgramNeeds needs = program.needs();
    std::vector<std::uint64_t> words{newest_schema, its_flags, needs.workgroup_bytes, needs.private_bytes};
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        const RuntimeArray array = runtime_array(program.types(), variable.type);
        words.push_back(array.stride);
        words.push_back(array.offset);
        words.push_back(variable.is_written ? 1 : 0);
    }
    return artifact_bytes(words);
}

Artifact lower_to_c(const ValidProgram& program, c_text::Language language, const CompileOptions& options) {
    HostDialect dialect(language);
    c_text::Text text = c_text::lower(program, dialect, {.options = options});
    Artifact artifact = c_text::make_artifact(program, options, std::move(text));
    artifact.load_data = facts_of(*program, dialect.meets() ? std::uint32_t{MUSTER_BACKEND_MEETS} : 0u);
    return artifact;
}

bool meets(const Program& program) {
    for (std::uint32_t i = 0; i < program.node_count(); ++i)
        if (info(program.node({i}).op).group == OpGroup::sync) return true;
    return program.needs().workgroup_bytes != 0;  // it is zeroed, and all wait for that
}

Artifact lower_to_wgsl(const ValidProgram& program, const CompileOptions& options) {
    Artifact artifact = make_artifact(*program, options);
    artifact.bytes = artifact_bytes(wgsl::print(*program));
    artifact.load_data = facts_of(*program, meets(*program) ? std::uint32_t{MUSTER_BACKEND_MEETS} : 0u);
    return artifact;
}

muster_backend_string string_of(const std::string& text) { return {text.c_str(), text.size()}; }

}  // namespace

Artifact lower(const ValidProgram& program, std::uint32_t form, std::string target,
               const CompileOptions& options) {
    Artifact artifact = form == MUSTER_BACKEND_WGSL  ? lower_to_wgsl(program, options)
                        : form == MUSTER_BACKEND_CXX ? lower_to_c(program, c_text::Language::cpp, options)
                                                     : lower_to_c(program, c_text::Language::c, options);
    artifact.format = form_name(form);
    artifact.target = std::move(target);
    return artifact;
}

Result<std::unique_ptr<Code>> Code::of(const Artifact& artifact) {
    const auto damaged = [](std::string what) {
        return fail(ErrorCode::invalid_argument, std::move(what), "compile the program for this device");
    };
    const std::size_t count = artifact.bindings.size();
    std::vector<std::uint64_t> facts(fact_count + count * binding_fact_count);
    if (artifact.load_data.size() != facts.size() * sizeof facts[0])
        return damaged("The artifact has " + std::to_string(artifact.load_data.size()) +
                       " bytes of load data, which don't describe its " + std::to_string(count) +
                       " bindings.");
    std::memcpy(facts.data(), artifact.load_data.data(), artifact.load_data.size());
    if (facts[schema] != newest_schema)
        return damaged("The artifact's load data are of schema " + std::to_string(facts[schema]) + ".");
    std::unique_ptr<Code> code(new Code);
    code->text_ = artifact.text();
    code->entry_ = artifact.entry;
    code->layouts_ = artifact.bindings;
    code->specs_ = artifact.options.specs;
    code->bindings_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const BindingLayout& layout = code->layouts_[i];
        const std::uint64_t* const more = &facts[fact_count + i * binding_fact_count];
        if (more[array_stride] > std::numeric_limits<std::uint32_t>::max())
            return damaged("The artifact's binding " + layout.name + " has elements of " +
                           std::to_string(more[array_stride]) + " bytes.");
        code->arrays_.push_back({.offset = more[array_offset], .stride = more[array_stride]});
        code->bindings_.push_back(
            {.struct_size = sizeof(muster_backend_binding),
             .group = layout.group,
             .binding = layout.binding,
             .space = layout.space == AddressSpace::uniform ? MUSTER_BACKEND_UNIFORM : MUSTER_BACKEND_STORAGE,
             .is_written = more[is_written] != 0 ? 1u : 0u,
             .array_stride = static_cast<std::uint32_t>(more[array_stride]),
             .array_offset = more[array_offset],
             .min_bytes = layout.min_bytes,
             .name = string_of(layout.name),
             .type = string_of(layout.type)});
    }
    for (const muster_backend_binding& binding : code->bindings_) code->pointers_.push_back(&binding);
    for (const auto& [key, value] : code->specs_)
        code->options_.push_back({string_of(key), string_of(value)});
    const bool is_fast = artifact.options.precision == Precision::fast;
    const Extent3 size = artifact.workgroup_size;
    code->given_ = {.struct_size = sizeof(muster_backend_code),
                    .form = form_of(artifact.format),
                    .flags = static_cast<std::uint32_t>(facts[flags] & MUSTER_BACKEND_MEETS) |
                             (is_fast ? std::uint32_t{MUSTER_BACKEND_FAST} : 0u),
                    .workgroup_size = {size.x, size.y, size.z},
                    .text = string_of(code->text_),
                    .entry = string_of(code->entry_),
                    .bindings = code->pointers_.data(),
                    .binding_count = count,
                    .options = code->options_.data(),
                    .option_count = code->options_.size(),
                    .workgroup_bytes = facts[workgroup_bytes],
                    .private_bytes = facts[private_bytes]};
    return code;
}

}  // namespace muster::c_table
