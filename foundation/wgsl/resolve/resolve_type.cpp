// Resolves types: names, template arguments, structures.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {
namespace {

// The width of vec2 to vec4, with or without a scalar's letter; 0 if `name` isn't a vector type.
std::uint32_t vector_width(std::string_view name) {
    if (!name.starts_with("vec") || name.size() < 4 || name.size() > 5) return 0;
    const char digit = name[3];
    return digit >= '2' && digit <= '4' ? static_cast<std::uint32_t>(digit - '0') : 0;
}

bool is_texture(std::string_view name) {
    constexpr std::array<std::string_view, 17> names{"texture_1d",
                                                     "texture_2d",
                                                     "texture_2d_array",
                                                     "texture_3d",
                                                     "texture_cube",
                                                     "texture_cube_array",
                                                     "texture_external",
                                                     "texture_depth_2d",
                                                     "texture_depth_2d_array",
                                                     "texture_depth_cube",
                                                     "texture_storage_1d",
                                                     "texture_depth_cube_array",
                                                     "texture_storage_2d",
                                                     "texture_storage_3d",
                                                     "texture_multisampled_2d",
                                                     "texture_storage_2d_array",
                                                     "texture_depth_multisampled_2d"};
    return std::ranges::find(names, name) != names.end();
}

bool is_sampler(std::string_view name) { return name == "sampler" || name == "sampler_comparison"; }

}  // namespace

MatrixShape matrix_shape(std::string_view name) {
    const auto is_size = [](char c) { return c >= '2' && c <= '4'; };
    const bool fits = name.starts_with("mat") && (name.size() == 6 || name.size() == 7) && is_size(name[3]) &&
                      name[4] == 'x' && is_size(name[5]);
    if (!fits) return {};
    return {static_cast<std::uint32_t>(name[3] - '0'), static_cast<std::uint32_t>(name[5] - '0')};
}

bool is_predeclared_type(std::string_view name) {
    constexpr std::array<std::string_view, 16> names{"bool", "i32",   "u32",    "f32",   "f16", "i8",
                                                     "u8",   "i16",   "u16",    "i64",   "u64", "f64",
                                                     "ptr",  "array", "atomic", "buffer"};
    return std::ranges::find(names, name) != names.end() || vector_width(name) != 0 ||
           matrix_shape(name).columns != 0 || is_texture(name) || is_sampler(name);
}

void Resolver::refuse_unsupported_type(std::string_view name, SourceLocation where) {
    const auto later = [&](std::string_view what) {
        refuse_unsupported(where, fmt::format("{} are not supported yet by muster ({}).", what, name),
                           "use scalars, vectors, matrices, arrays and structures.");
    };
    if (is_texture(name)) later("Textures");
    if (is_sampler(name)) later("Samplers");
}

void Resolver::need_f16(std::string_view what, SourceLocation where) const {
    if (!f16_enabled_)
        refuse(where, fmt::format("{} needs the extension f16, which isn't enabled.", what),
               "write `enable f16;` as the first line.");
}

bool Resolver::is_type_name(std::string_view name) const {
    if (const auto found = module_.find(name); found != module_.end())
        return found->second.kind == ast::DeclarationKind::structure ||
               found->second.kind == ast::DeclarationKind::alias;
    return find_local(name) == nullptr && is_predeclared_type(name);
}

std::string_view Resolver::predeclared(std::string_view name) const {
    return predeclared_enabled_ && name.starts_with(predeclared_prefix)
               ? name.substr(predeclared_prefix.size())
               : name;
}

TypeRef Resolver::type(ast::ExpressionId id) {
    const ast::Expression& e = ast_[id];
    if (e.kind != ast::ExpressionKind::identifier)
        refuse(e.where, "A type stands here, not an expression.",
               "write a type such as f32 or array<f32, 4>.");
    // Sizes inside the type are evaluated even if the expression around it isn't, since
    // the type depends on them.
    struct Restore {
        std::uint32_t& unevaluated;
        std::uint32_t before;
        ~Restore() { unevaluated = before; }
    } restore{unevaluated_, std::exchange(unevaluated_, 0)};
    return check_size(named_type(e), e.where);
}

TypeRef Resolver::check_size(TypeRef type, SourceLocation where) {
    // Checked for every type before another one multiplies its size, so 64 bits are enough.
    if (type->size > limits::type_bytes)
        refuse(where,
               fmt::format("The type {} takes {} bytes; the limit is {}.", type->name, type->size,
                           limits::type_bytes),
               "use fewer elements, or an array sized at run time: array<T>.");
    if (type->depth > limits::composite_depth)
        refuse(where,
               fmt::format("The type nests {} composite types; the limit is {}.", type->depth,
                           limits::composite_depth),
               "nest fewer arrays and structures.");
    if (types_.count() > limits::types)
        refuse(where, fmt::format("The program has over {} different types.", limits::types),
               "use fewer types.");
    return type;
}

TypeRef Resolver::named_type(const ast::Expression& e) {
    if (find_local(e.name) != nullptr)
        refuse(e.where, fmt::format("{} is a local value here, not a type.", e.name),
               "give the value another name.");
    const auto arguments = ast_[e.list];
    if (module_.contains(e.name)) {
        ModuleSymbol& symbol = resolved_symbol(e.name, e.where);
        if (symbol.type == nullptr)
            refuse(e.where, fmt::format("{} isn't a type.", e.name), "write a type such as f32.");
        if (e.has_template)
            refuse(e.where, fmt::format("The type {} takes no template arguments.", e.name), "remove them.");
        return symbol.type;
    }
    const std::string_view name = predeclared(e.name);
    refuse_unsupported_type(name, e.where);
    const auto unknown = [&] { refuse_unknown(Wanted::type, name, e.where); };
    if (!is_predeclared_type(name)) unknown();
    if (name == "array") return array_type(e);
    if (name == "ptr") return pointer_type(e);
    if (name == "buffer") return buffer_type(e);
    const std::uint32_t width = vector_width(name);
    const MatrixShape matrix = matrix_shape(name);
    const bool takes_one =
        name == "atomic" || (width != 0 && name.size() == 4) || (matrix.columns != 0 && name.size() == 6);
    if (arguments.size() != (takes_one ? 1u : 0u)) {
        if (takes_one)
            refuse(e.where,
                   fmt::format("The type {} takes one template argument, {} given.", name, arguments.size()),
                   fmt::format("write {}<{}>.", name, matrix.columns != 0 ? "f32" : "u32"));
        refuse(e.where, fmt::format("The type {} takes no template arguments.", name), "remove them.");
    }
    if (takes_one) {
        const TypeRef of = type(arguments[0]);
        if (name == "atomic") return atomic_type(of, e.where);
        if (matrix.columns != 0) {
            if (!of->is_scalar() || !of->is_float())
                refuse(e.where, fmt::format("A matrix can't have components of type {}.", of->name),
                       "use f32 or f16.");
            return types_.matrix(of, matrix.columns, matrix.rows);
        }
        if (!of->is_scalar())
            refuse(e.where, fmt::format("A vector can't have components of type {}.", of->name),
                   "use bool, i32, u32, f32 or f16.");
        return types_.vector(of, width);
    }
    const auto letter = [&](char c) -> TypeRef {
        if (c == 'i') return types_.i32;
        if (c == 'u') return types_.u32;
        if (c == 'h') return types_.f16;
        return c == 'f' ? types_.f32 : nullptr;
    };
    const bool ends_in_h = (width != 0 || matrix.columns != 0) && name.back() == 'h';
    if (name == "f16" || ends_in_h) need_f16(fmt::format("The type {}", name), e.where);
    if (matrix.columns != 0) {
        const TypeRef of = letter(name[6]);
        if (of == nullptr || !of->is_float()) unknown();
        return types_.matrix(of, matrix.columns, matrix.rows);
    }
    if (width != 0 && letter(name[4]) != nullptr) return types_.vector(letter(name[4]), width);
    if (name == "bool") return types_.boolean;
    if (name == "i32") return types_.i32;
    if (name == "u32") return types_.u32;
    if (name == "f32") return types_.f32;
    if (name == "f16") return types_.f16;
    for (const TypeRef extended :
         {types_.i8, types_.u8, types_.i16, types_.u16, types_.i64, types_.u64, types_.f64})
        if (name == extended->name) return extended_type(extended, fmt::format("The type {}", name), e.where);
    unknown();
    return types_.nothing;
}

TypeRef Resolver::extended_type(TypeRef type, std::string_view what, SourceLocation where) const {
    const bool is_enabled = type->is_narrow()    ? narrow_enabled_
                            : type == types_.f64 ? float64_enabled_
                                                 : int64_enabled_;
    const std::string_view extension = type->is_narrow()    ? narrow_enable
                                       : type == types_.f64 ? float64_enable
                                                            : int64_enable;
    if (!is_enabled)
        refuse(where, fmt::format("{} needs the extension {}, which isn't enabled.", what, extension),
               fmt::format("write `enable {};` as the first line.", extension));
    return type;
}

TypeRef Resolver::atomic_type(TypeRef of, SourceLocation where) {
    if (of == types_.f32 && !float_atomics_enabled_)
        refuse(where,
               fmt::format("The type atomic<f32> needs the extension {}, which isn't enabled.",
                           float_atomics_enable),
               fmt::format("write `enable {};` as the first line.", float_atomics_enable));
    if (of != types_.f32 && !(of->is_scalar() && of->is_integer()))
        refuse(where, fmt::format("atomic<{}> isn't a type.", of->name), "use atomic<i32> or atomic<u32>.");
    return types_.atomic(of);
}

TypeRef Resolver::array_type(const ast::Expression& e) {
    const auto arguments = ast_[e.list];
    if (arguments.empty() || arguments.size() > 2)
        refuse(e.where,
               fmt::format("array takes an element type and a count, {} arguments given.", arguments.size()),
               "write array<f32, 4>, or array<f32> for one sized at run time.");
    const TypeRef element = type(arguments[0]);
    if (element->kind == Kind::pointer || element->kind == Kind::buffer || element->has_runtime_array ||
        (!element->constructible && element->kind == Kind::array && element->override_sized))
        refuse(e.where, fmt::format("An array can't have elements of type {}.", element->name),
               "use elements of a fixed size.");
    if (arguments.size() == 1) return types_.array(element, 0);
    Expr* count = sizing(value(arguments[1]));
    if (!count->is_known())
        refuse(count->where, "An array's element count isn't known before the program runs.",
               "use a constant or an override.");
    if (!count->type->is_index())
        refuse(count->where, fmt::format("An array's element count has type {}.", count->type->name),
               "use an i32 or a u32.");
    const std::int64_t n = count->constant.integer();
    if (n < 1) refuse(count->where, fmt::format("An array's element count is {}.", n), "use at least 1.");
    const std::uint64_t stride = (element->size + element->align - 1) / element->align * element->align;
    if (stride * static_cast<std::uint64_t>(n) > limits::type_bytes)
        refuse(count->where,
               fmt::format("An array of {} elements of {} bytes takes {} bytes; the limit is {}.", n, stride,
                           stride * static_cast<std::uint64_t>(n), limits::type_bytes),
               "use fewer elements, or an array sized at run time: array<T>.");
    return types_.array(element, static_cast<std::uint32_t>(n), count->stage == Stage::override_);
}

TypeRef Resolver::pointer_type(const ast::Expression& e) {
    const auto arguments = ast_[e.list];
    if (arguments.size() < 2 || arguments.size() > 3)
        refuse(e.where,
               fmt::format("ptr takes an address space and a type, {} arguments given.", arguments.size()),
               "write ptr<function, f32>.");
    const AddressSpace space = address_space(ast_[arguments[0]]);
    Access access =
        space == AddressSpace::storage || space == AddressSpace::uniform ? Access::read : Access::read_write;
    if (arguments.size() == 3) {
        if (space != AddressSpace::storage)
            refuse(ast_[arguments[2]].where, "Only pointers to storage take an access mode.", "remove it.");
        access = access_mode(ast_[arguments[2]]);
    }
    const TypeRef to = type(arguments[1]);
    if (to->kind == Kind::buffer && (space == AddressSpace::function || space == AddressSpace::private_))
        refuse(e.where, fmt::format("A {} is never in the address space {}.", to->name, name(space)),
               "write storage, uniform or workgroup.");
    return types_.pointer(space, to, access);
}

AddressSpace Resolver::address_space(const ast::Expression& e) {
    if (e.kind == ast::ExpressionKind::identifier) {
        if (e.name == "immediate") return AddressSpace::uniform;
        if (const auto space = enum_named<AddressSpace>(e.name)) return *space;
    }
    refuse(e.where, fmt::format("No address space is called {}.", e.name),
           "write function, private, workgroup, storage, uniform or immediate.");
}

Access Resolver::access_mode(const ast::Expression& e) {
    if (e.kind == ast::ExpressionKind::identifier)
        if (const auto access = enum_named<Access>(e.name)) return *access;
    refuse(e.where, fmt::format("No access mode is called {}.", e.name), "write read or read_write.");
}

void Resolver::resolve_structure(ModuleSymbol& symbol, const ast::Structure& structure) {
    constexpr std::array<std::string_view, 7> names{"align",       "size",      "builtin",  "location",
                                                    "interpolate", "invariant", "blend_src"};
    const auto fields = ast_[structure.members];
    if (fields.empty())
        refuse(structure.where, fmt::format("The structure {} has no members.", structure.name),
               "give it one.");
    if (fields.size() > limits::structure_members)
        refuse(structure.where,
               fmt::format("The structure {} has {} members; the limit is {}.", structure.name, fields.size(),
                           limits::structure_members),
               "split it.");
    std::vector<WgslMember> members;
    std::vector<std::string_view> builtins;
    std::unordered_map<std::string_view, bool> seen;
    for (const ast::Field& field : fields) {
        if (!seen.emplace(field.name, true).second)
            refuse(field.where,
                   fmt::format("The structure {} has two members called {}.", structure.name, field.name),
                   "rename one.");
        allow(field.attributes, names, "a structure's member");
        WgslMember member{.name = std::string(field.name), .type = type(field.type)};
        const TypeRef of = member.type;
        if (of->kind == Kind::pointer || of->kind == Kind::buffer || of == types_.nothing ||
            of->override_sized)
            refuse(field.where, fmt::format("A structure's member can't have type {}.", of->name),
                   "use a fixed-size type.");
        if (of->has_runtime_array && (&field != &fields.back() || of->kind == Kind::structure))
            refuse(field.where,
                   fmt::format("The member {} is sized at run time and isn't the last one.", field.name),
                   "move the run-time array to the end, and don't nest the structure.");
        if (const ast::Attribute* align = find(field.attributes, "align")) {
            member.align = static_cast<std::uint32_t>(attribute_integer(*align, 1, UINT32_MAX));
            if ((member.align & (member.align - 1)) != 0 || member.align % of->align != 0)
                refuse(align->where,
                       fmt::format("@align({}) isn't a power of two that {}'s alignment of {} divides.",
                                   member.align, of->name, of->align),
                       fmt::format("use {} or a larger power of two.", of->align));
        }
        if (const ast::Attribute* size = find(field.attributes, "size")) {
            member.size = static_cast<std::uint64_t>(attribute_integer(*size, 1, UINT32_MAX));
            if (of->has_runtime_array)
                refuse(size->where, fmt::format("@size is on {}, which is sized at run time.", member.name),
                       "remove it.");
            if (member.size < of->size)
                refuse(size->where,
                       fmt::format("@size({}) is less than the {} bytes that {} takes.", member.size,
                                   of->size, of->name),
                       "use a larger size.");
        }
        const ast::Attribute* builtin = find(field.attributes, "builtin");
        builtins.push_back(builtin != nullptr ? attribute_name(*builtin) : std::string_view());
        check_interface_attributes(field.attributes, of);
        members.push_back(std::move(member));
    }
    symbol.type =
        check_size(types_.structure(std::string(structure.name), std::move(members)), structure.where);
    member_builtins_.emplace(symbol.type, std::move(builtins));
}

}  // namespace muster::wgsl
