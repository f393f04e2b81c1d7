#include <algorithm>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/lower/lowering.hpp>
#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>
#include <muster/foundation/wgsl/uniformity/check_uniformity.hpp>
#include <muster/foundation/wgsl/unproven.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::wgsl {
namespace {

struct Module {
    ast::Module syntax;
    TypedModule typed;
    std::vector<Fault> faults;
    SourceFile file;
};

std::unique_ptr<Module> read_unproven(std::string_view text, const ParseOptions& options) {
    auto module = std::make_unique<Module>();
    module->file = {options.file, std::make_shared<const std::string>(text)};
    ParsedModule parsed = parse_module(module->file);
    module->syntax = std::move(parsed.module);
    module->faults = std::move(parsed.faults);
    if (module->faults.empty()) {
        Resolver resolver(module->syntax, options.overrides, module->typed, module->faults);
        for (const std::string& name : options.enables) resolver.enable(name);
        resolver.run();
    }
    std::ranges::sort(module->faults, {}, &Fault::where);
    return module;
}

std::unique_ptr<Module> read(std::string_view text, const ParseOptions& options) {
    auto module = read_unproven(text, options);
    if (module->faults.empty())
        for (UniformityFault& each : check_uniformity(module->typed, module->file))
            module->faults.push_back(std::move(each.what));
    return module;
}

std::unexpected<Error> rendered(ErrorCode code, std::vector<Fault> faults, const Module& module) {
    mark_expressions(module.syntax, faults);
    std::string message;
    for (const Fault& fault : faults) {
        if (!message.empty()) message += '\n';
        message += fault.where.line == 0 ? fault.message + (fault.fix.empty() ? "" : "\nFix: " + fault.fix)
                                         : render(fault, module.file);
    }
    return fail(code, std::move(message));
}

std::string list(std::span<const TypedFunction* const> entries) {
    std::string names;
    for (const TypedFunction* each : entries) names += (names.empty() ? "" : ", ") + std::string(each->name);
    return names;
}

/// "vs (@vertex), fs (@fragment)": entry points of other stages, which muster doesn't run.
std::string list_others(const Module& module) {
    std::string names;
    for (const TypedFunction& each : module.typed.functions)
        if (!each.stage.empty() && !each.is_entry)
            names += fmt::format("{}{} (@{})", names.empty() ? "" : ", ", each.name, each.stage);
    return names;
}

/// Adds a fault for each unsupported feature that the entry point reaches, without duplicates.
void add_unsupported(const TypedFunction& entry, std::vector<Fault>& faults) {
    std::unordered_set<const TypedFunction*> seen{&entry};
    std::vector<const TypedFunction*> rest{&entry};
    while (!rest.empty()) {
        const TypedFunction* function = rest.back();
        rest.pop_back();
        for (const Fault& each : function->unsupported)
            if (std::ranges::none_of(faults,
                                     [&](const Fault& other) {
                                         return other.where == each.where && other.message == each.message;
                                     }) &&
                faults.size() < max_faults)
                faults.push_back(each);
        for (const TypedFunction* callee : function->callees)
            if (seen.insert(callee).second) rest.push_back(callee);
    }
    std::ranges::sort(faults, {}, &Fault::where);
}

std::unexpected<Error> no_such_entry(const Module& module, const ParseOptions& options,
                                     std::span<const TypedFunction* const> entries) {
    for (const TypedFunction& each : module.typed.functions)
        if (!each.is_entry && !each.stage.empty() && each.name == options.entry)
            return fail(
                ErrorCode::not_found,
                fmt::format("{} is a @{} entry point; muster runs @compute ones.", each.name, each.stage),
                entries.empty() ? "add a @compute entry point." : "name one of " + list(entries) + ".");
    return fail(ErrorCode::not_found,
                fmt::format("{} has no entry point called {}.", options.file, options.entry),
                "it has " + list(entries) + ".");
}

Result<const TypedFunction*> choose_entry(const Module& module, const ParseOptions& options) {
    std::vector<const TypedFunction*> entries;
    for (const TypedFunction& each : module.typed.functions)
        if (each.is_entry) entries.push_back(&each);
    if (entries.empty()) {
        const std::string others = list_others(module);
        return fail(ErrorCode::not_found,
                    others.empty()
                        ? fmt::format("{} has no entry point.", options.file)
                        : fmt::format("{} has no compute entry point; it has {}.", options.file, others),
                    "write a function with @compute @workgroup_size(64) in front.");
    }
    if (options.entry.empty()) {
        if (entries.size() == 1) return entries[0];
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} has {} entry points and none is named: {}.", options.file, entries.size(),
                                list(entries)),
                    "name one, as with --entry " + std::string(entries[0]->name) + ".");
    }
    const auto found = std::ranges::find(entries, options.entry, &TypedFunction::name);
    if (found == entries.end()) return no_such_entry(module, options, entries);
    return *found;
}

/// Adds a fault to the module if it is one of its text.
Result<Program> lower(Module& module, const TypedFunction& entry) {
    const auto refused = [&](ErrorCode code, const Fault& fault) {
        module.faults.push_back(fault);
        return rendered(code, {fault}, module);
    };
    try {
        Lowering lowering(module.typed, entry, module.file);
        Result<Program> program = lowering.run();
        if (lowering.halved().empty()) return program;
        return Lowering(module.typed, entry, module.file, lowering.halved()).run();
    } catch (const BudgetSpent& spent) {
        return refused(ErrorCode::limit_exceeded, spent.diagnostic);
    } catch (const Refusal& refusal) {
        return refused(ErrorCode::invalid_program, refusal.diagnostic);
    }
}

Result<Program> program_of(Module& module, const ParseOptions& options) {
    if (!module.faults.empty()) {
        const bool of_options =
            std::ranges::all_of(module.faults, [](const Fault& each) { return each.where.line == 0; });
        return rendered(of_options ? ErrorCode::invalid_argument : ErrorCode::invalid_program, module.faults,
                        module);
    }
    const TypedFunction* const entry = TRY(choose_entry(module, options));
    add_unsupported(*entry, module.faults);
    if (!module.faults.empty()) return rendered(ErrorCode::invalid_program, module.faults, module);
    if (!module.typed.unset.empty()) return rendered(ErrorCode::invalid_program, module.typed.unset, module);
    return lower(module, *entry);
}

std::unexpected<Error> refused(const Module& module) {
    return rendered(ErrorCode::invalid_program, module.faults, module);
}

}  // namespace

Result<Program> parse(std::string_view text, const ParseOptions& options) {
    return program_of(*read(text, options), options);
}

Result<UnprovenProgram> parse_unproven(std::string_view text, const ParseOptions& options) {
    const auto module = read_unproven(text, options);
    UnprovenProgram made{TRY(program_of(*module, options)), {}};
    for (UniformityFault& each : check_uniformity(module->typed, module->file))
        made.faults.push_back({std::move(each.what), each.branch, each.is_barrier});
    return made;
}

std::vector<Diagnostic> diagnose(std::string_view text, const ParseOptions& options) {
    const auto module = read(text, options);
    for (const TypedFunction& each : module->typed.functions)
        if (each.is_entry && (options.entry.empty() || each.name == options.entry))
            add_unsupported(each, module->faults);
    if (module->faults.empty() && module->typed.unset.empty()) {
        for (const TypedFunction& each : module->typed.functions)
            if (each.is_entry && (options.entry.empty() || each.name == options.entry) &&
                module->faults.size() < max_faults)
                static_cast<void>(lower(*module, each));  // adds its fault
        std::ranges::sort(module->faults, {}, &Fault::where);
    }
    return {module->faults.begin(), module->faults.end()};
}

Result<std::vector<EntryPoint>> entry_points(std::string_view text, const ParseOptions& options) {
    const auto module = read(text, options);
    if (!module->faults.empty()) return refused(*module);
    std::vector<std::pair<SourceLocation, EntryPoint>> found;
    for (const TypedFunction& each : module->typed.functions)
        if (each.is_entry) found.push_back({each.where, {std::string(each.name), each.workgroup_size}});
    std::ranges::sort(found, {}, [](const auto& each) { return each.first; });
    std::vector<EntryPoint> entries;
    for (auto& [where, entry] : found) entries.push_back(std::move(entry));
    return entries;
}

Result<std::vector<Override>> overrides(std::string_view text, const ParseOptions& options) {
    const auto module = read(text, options);
    if (!module->faults.empty()) return refused(*module);
    std::vector<TypedOverride> sorted = module->typed.overrides;
    std::ranges::sort(sorted, {}, &TypedOverride::where);
    std::vector<Override> found;
    for (const TypedOverride& each : sorted) {
        const Scalar scalar = each.type->kind == Kind::i32   ? Scalar::i32
                              : each.type->kind == Kind::u32 ? Scalar::u32
                              : each.type->kind == Kind::f32 ? Scalar::f32
                              : each.type->kind == Kind::f16 ? Scalar::f16
                                                             : Scalar::boolean;
        found.push_back({std::string(each.name), each.id, scalar, each.has_default});
    }
    return found;
}

namespace {

/// The entry point and all that it calls.
std::vector<const TypedFunction*> reached_from(const TypedFunction& entry) {
    std::vector<const TypedFunction*> reached{&entry};
    std::unordered_set<const TypedFunction*> seen{&entry};
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const TypedFunction* callee : reached[i]->callees)
            if (seen.insert(callee).second) reached.push_back(callee);
    return reached;
}

/// As min_binding_bytes() has it for the IR's types.
std::uint64_t min_bytes(TypeRef type) {
    const auto end_of = [](const WgslType& array) { return array.count == 0 ? array.stride : array.size; };
    if (type->kind == Kind::buffer) return type->count == 0 ? 4 : type->count;
    if (type->kind == Kind::array) return end_of(*type);
    if (!type->has_runtime_array) return type->size;
    const WgslMember& last = type->members.back();
    return (last.offset + end_of(*last.type) + type->align - 1) / type->align * type->align;
}

EntryInterface interface_of_entry(const TypedFunction& entry) {
    EntryInterface made{std::string(entry.name), {}, {}};
    std::vector<Fault> unsupported;
    add_unsupported(entry, unsupported);
    made.unsupported.assign(unsupported.begin(), unsupported.end());
    std::unordered_set<const Global*> seen;
    for (const TypedFunction* function : reached_from(entry))
        for (const Global* global : function->globals) {
            const bool bound =
                global->space == AddressSpace::storage || global->space == AddressSpace::uniform;
            if (!bound || !seen.insert(global).second) continue;
            made.resources.push_back({std::string(global->name), global->where, global->group,
                                      global->binding, global->space, global->access, global->is_immediate,
                                      min_bytes(global->type)});
        }
    std::ranges::sort(made.resources, {}, [](const Resource& each) {
        return std::tuple(each.is_immediate, each.group, each.binding);
    });
    return made;
}

}  // namespace

Result<Interface> interface_of(std::string_view text, const ParseOptions& options) {
    const auto module = read(text, options);
    if (!module->faults.empty()) return refused(*module);
    Interface made;
    for (const ast::Directive& directive : module->syntax.directives)
        if (directive.kind == ast::DirectiveKind::enable)
            for (const ast::Name& name : module->syntax[directive.names])
                made.enables.emplace_back(name.text);
    std::vector<const TypedFunction*> entries;
    for (const TypedFunction& each : module->typed.functions) {
        if (each.is_entry) entries.push_back(&each);
        if (!each.is_entry && !each.stage.empty()) made.others.emplace_back(each.name);
    }
    std::ranges::sort(entries, {}, &TypedFunction::where);
    for (const TypedFunction* entry : entries) made.entries.push_back(interface_of_entry(*entry));
    made.needs_overrides = !module->typed.unset.empty();
    return made;
}

Result<std::vector<Alias>> aliases(std::string_view text, const ParseOptions& options) {
    const auto module = read(text, options);
    if (!module->faults.empty()) return refused(*module);
    std::vector<Alias> found;
    TypeTable types;
    for (const auto& [name, type] : module->typed.aliases) {
        const bool is_pointer = type->kind == Kind::pointer;
        found.push_back({std::string(name), is_pointer ? type->name : types.name(ir_type(types, type))});
    }
    return found;
}

}  // namespace muster::wgsl
