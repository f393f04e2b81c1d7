#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/archive/program_archive.hpp>
#include <muster/foundation/archive/source_fields.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/rewrite.hpp>
#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster {
namespace {

// The structures' fields in the order in which they are stored. Reading and writing share these functions.
// Each names all members of its structure, so that adding one doesn't compile until it is stored, too.

template <class Archive, class Id>
void exchange_id(Archive& archive, std::string_view key, Id& value) {
    archive.number(key, value.index);
}

/// A type's members that its table computes the others from, and its layout, for comparison.
template <class Archive, class Fields>
void exchange_type(Archive& archive, Fields& value) {
    auto& [kind, scalar, width, element, count, size, align, stride, words, scalars, contains_atomic,
           contains_bool, contains_f16, least_bytes, contains_runtime_array, type_name, members] = value;
    (void)width, (void)stride, (void)words, (void)scalars, (void)contains_atomic, (void)contains_bool;
    (void)contains_f16, (void)least_bytes, (void)contains_runtime_array;
    archive.choice("kind", kind, TypeKind::structure);
    archive.choice("scalar", scalar, Scalar::f64);
    exchange_id(archive, "element", element);
    archive.number("count", count);
    archive.number("size", size);
    archive.number("align", align);
    archive.text("name", type_name);
    archive.list("members", members, [&](auto& member) {
        auto& [name, of, offset] = member;
        archive.text("member", name);
        exchange_id(archive, "type", of);
        archive.number("offset", offset);
    });
}

void exchange_types(ByteWriter& writer, const TypeTable& types) {
    writer.number("types", types.count() - fixed_type_count);
    for (std::uint32_t i = fixed_type_count; i < types.count(); ++i) exchange_type(writer, types[TypeId{i}]);
}

/// The declarations that give members these offsets in a structure of this size and alignment.
std::vector<MemberDeclaration> declarations(const TypeTable& types, const Type& structure) {
    std::vector<MemberDeclaration> made;
    for (std::size_t i = 0; i < structure.members.size(); ++i) {
        const Member& member = structure.members[i];
        const bool is_last = i + 1 == structure.members.size();
        const Type& of = types[member.type];
        const std::uint64_t end = is_last ? structure.size : structure.members[i + 1].offset;
        const std::uint32_t next_align =
            is_last ? structure.align : types[structure.members[i + 1].type].align;
        const bool is_usual = round_up(member.offset + of.size, std::max(next_align, 1u)) == end;
        made.push_back({member.name, member.type, i == 0 ? structure.align : 0,
                        is_usual ? 0 : end - std::min(end, member.offset)});
    }
    return made;
}

/// Adds a type that was read to a table. False if the table gives it another number or
/// layout: the bytes are damaged.
bool add_type(TypeTable& types, const Type& read) {
    const TypeId expected{types.count()};
    const auto is_known = [&](TypeId id) { return id != no_type && id < expected; };
    TypeId made;
    if (read.kind == TypeKind::atomic) {
        made = types.atomic(read.scalar);
    } else if (read.kind == TypeKind::array) {
        if (!is_known(read.element)) return false;
        made = types.array(read.element, read.count);
    } else if (read.kind == TypeKind::structure) {
        if (read.align == 0 || read.members.size() > limits::structure_members) return false;
        if (!std::ranges::all_of(read.members, is_known, &Member::type)) return false;
        made = types.structure(read.name, declarations(types, read));
    } else {
        return false;
    }
    const Type& type = types[made];
    return made == expected && type.size == read.size && type.align == read.align &&
           std::ranges::equal(type.members, read.members, {}, &Member::offset, &Member::offset);
}

void exchange_types(ByteReader& reader, TypeTable& types) {
    std::uint32_t count = 0;
    reader.number("types", count);
    if (count > limits::types) return reader.wrong("types");
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
        Type type;
        exchange_type(reader, type);
        if (!reader.failed() && !add_type(types, type)) reader.wrong("types");
    }
}

template <class Archive, class Fields>
void exchange_node(Archive& archive, Fields& value) {
    auto& [op, reserved, block_count, type, first_operand, operand_count, first_block, payload] = value;
    (void)reserved;
    archive.choice("op", op, Op::extension);
    archive.number("block_count", block_count);
    exchange_id(archive, "type", type);
    archive.number("first_operand", first_operand);
    archive.number("operand_count", operand_count);
    archive.number("first_block", first_block);
    archive.number("payload", payload);
}

template <class Archive, class Fields>
void exchange_variable(Archive& archive, Fields& value) {
    auto& [name, type, space, access, group, binding, initial, location, is_read, is_written] = value;
    (void)is_read, (void)is_written;  // computed again
    archive.text("variable", name);
    exchange_id(archive, "type", type);
    archive.choice("space", space, AddressSpace::uniform);
    archive.choice("access", access, Access::read_write);
    archive.number("group", group);
    archive.number("binding", binding);
    exchange_id(archive, "initial", initial);
    exchange_location(archive, location);
}

void exchange_names(ByteWriter& writer, const std::unordered_map<std::uint32_t, std::string>& names) {
    std::vector<std::pair<std::uint32_t, std::string_view>> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    writer.list("names", sorted, [&](const auto& each) {
        writer.number("node", each.first);
        writer.text("name", each.second);
    });
}
void exchange_names(ByteReader& reader, std::unordered_map<std::uint32_t, std::string>& names) {
    std::vector<std::pair<std::uint32_t, std::string>> all;
    reader.list("names", all, [&](auto& each) {
        reader.number("node", each.first);
        reader.text("name", each.second);
    });
    names.insert(all.begin(), all.end());
}

template <class Archive, class Data>
void exchange_program(Archive& archive, Data& data) {
    const auto ids = [&](std::string_view key, auto& list) {
        archive.list(key, list, [&](auto& id) { exchange_id(archive, key, id); });
    };
    auto& [entry, workgroup_size, types, nodes, operands, node_blocks, words, blocks, block_nodes, body,
           variables, bindings, extensions, locations, names, files, required_ops, needs, fingerprint] = data;
    auto& [needed_size, workgroup_bytes, private_bytes, storage_bindings, uniform_bindings, scalars,
           wide_atomics, subgroups, subgroup_size] = needs;
    // Computed again, and all needs but what the program asks for.
    (void)required_ops, (void)fingerprint;
    (void)needed_size, (void)workgroup_bytes, (void)private_bytes, (void)storage_bindings;
    (void)uniform_bindings, (void)scalars, (void)wide_atomics, (void)subgroups;
    archive.text("entry", entry);
    exchange_extent(archive, workgroup_size);
    archive.number("subgroup_size", subgroup_size);
    exchange_types(archive, types);
    archive.list("nodes", nodes, [&](auto& node) { exchange_node(archive, node); });
    ids("operands", operands);
    ids("node_blocks", node_blocks);
    archive.list("words", words, [&](auto& word) { archive.number("word", word); });
    archive.list("blocks", blocks, [&](auto& block) {
        auto& [first, count] = block;
        archive.number("first", first);
        archive.number("count", count);
    });
    ids("block_nodes", block_nodes);
    exchange_id(archive, "body", body);
    archive.list("variables", variables, [&](auto& variable) { exchange_variable(archive, variable); });
    ids("bindings", bindings);
    archive.list("extensions", extensions, [&](auto& id) { archive.text("extension", id); });
    archive.list("locations", locations, [&](auto& location) { exchange_location(archive, location); });
    exchange_names(archive, names);
    archive.list("files", files, [&](auto& file) { exchange_file(archive, file); });
}

std::unexpected<Error> damaged(const std::string& how) {
    return fail(ErrorCode::invalid_program, fmt::format("The stored program is damaged: it has {}.", how),
                "write the program again");
}

/// True if every location names one of the files, or no line.
bool locations_fit(const ProgramData& data) {
    const auto fits = [&](const SourceLocation& where) {
        return where.line == 0 || where.file < data.files.size();
    };
    return std::ranges::all_of(data.locations, fits) &&
           std::ranges::all_of(data.variables, fits, &Variable::location);
}

}  // namespace

std::vector<std::byte> program_bytes(const Program& program) {
    ByteWriter writer;
    exchange_program(writer, program.data());
    return std::move(writer).take();
}

// Validation proves that the arena is sound. A copy node by node then computes what isn't stored; if it isn't
// the same program, the arena wasn't in canonical order.
Result<ValidProgram> read_program(std::span<const std::byte> bytes) {
    auto data = std::make_shared<ProgramData>();
    ByteReader reader(bytes);
    exchange_program(reader, *data);
    if (!reader.done()) return damaged(reader.fault());
    if (!locations_fit(*data)) return damaged("lines of a file that it doesn't have");
    const ValidProgram sound = TRY(validate(Program(data)));
    const Program copy = TRY(rewrite(sound, [](IrBuilder&, const RewrittenNode&) { return std::nullopt; }));
    if (!same_structure(sound, copy)) return damaged("operations in an order that muster doesn't write");
    auto whole = std::make_shared<ProgramData>(copy.data());
    whole->locations = std::move(data->locations);  // a copy has those of free nodes' users
    return validate(Program(std::move(whole)));
}

}  // namespace muster
