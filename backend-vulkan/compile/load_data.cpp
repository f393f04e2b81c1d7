#include <memory>
#include <optional>

#include <fmt/format.h>

#include <muster/backend-vulkan/compile/load_data.hpp>
#include <muster/foundation/archive/source_fields.hpp>
#include <muster/foundation/base/byte_archive.hpp>

namespace muster::vulkan {
namespace {

// Each function names all members of its structure, so that adding one doesn't compile
// until it is stored, too.

template <class Archive, class Fields>
void exchange_binding(Archive& archive, Fields& value) {
    auto& [kind, set, binding, offset, bytes] = value;
    archive.choice("kind", kind, BindingKind::push_constant);
    archive.number("set", set);
    archive.number("binding", binding);
    archive.number("offset", offset);
    archive.number("bytes", bytes);
}

template <class Archive, class Loops>
void exchange_loops(Archive& archive, Loops& value) {
    auto& [entry, places, report] = value;
    archive.text("entry", entry);
    archive.list("places", places, [&](auto& place) { archive.text("place", place); });
    exchange_binding(archive, report);
}

template <class Archive, class Fields>
void exchange_module(Archive& archive, Fields& value) {
    auto& [words, entry, workgroup_size, bindings, origin_offset, grid_offset, push_constant_bytes,
           watched_loops, debug_map] = value;
    (void)words, (void)debug_map, (void)watched_loops;  // the artifact has the first two
    archive.text("entry", entry);
    exchange_extent(archive, workgroup_size);
    archive.list("bindings", bindings, [&](auto& each) { exchange_binding(archive, each); });
    exchange_optional(archive, "origin_offset", origin_offset);
    exchange_optional(archive, "grid_offset", grid_offset);
    archive.number("push_constant_bytes", push_constant_bytes);
}

}  // namespace

std::vector<std::byte> load_data(const LoadData& data) {
    const auto& [module, needs_long_loops] = data;
    ByteWriter writer;
    exchange_module(writer, module);
    writer.flag("watches", module.watched_loops != nullptr);
    if (module.watched_loops) exchange_loops(writer, *module.watched_loops);
    writer.flag("needs_long_loops", needs_long_loops);
    return std::move(writer).take();
}

Result<LoadData> read_load_data(std::span<const std::byte> bytes) {
    LoadData data;
    auto& [module, needs_long_loops] = data;
    ByteReader reader(bytes);
    exchange_module(reader, module);
    bool watches = false;
    reader.flag("watches", watches);
    if (watches) {
        auto loops = std::make_shared<WatchedLoops>();
        exchange_loops(reader, *loops);
        module.watched_loops = std::move(loops);
    }
    reader.flag("needs_long_loops", needs_long_loops);
    if (reader.done()) return data;
    return fail(ErrorCode::invalid_argument,
                fmt::format("The data that the SPIR-V is loaded with is damaged: it has {}.", reader.fault()),
                "compile it again");
}

}  // namespace muster::vulkan
