#include <fmt/format.h>

#include <muster/backend-cuda/compile/load_data.hpp>
#include <muster/foundation/archive/source_fields.hpp>
#include <muster/foundation/base/byte_archive.hpp>

namespace muster::cuda {
namespace {

// Each function names all members of its structure, so that adding one doesn't compile
// until it is stored, too.

template <class Archive, class Fields>
void exchange_parameter(Archive& archive, Fields& value) {
    auto& [kind, offset, value_offset, value_bytes, length_offset, array_offset, array_stride] = value;
    archive.choice("kind", kind, ParameterKind::uniform_either);
    archive.number("offset", offset);
    archive.number("value_offset", value_offset);
    archive.number("value_bytes", value_bytes);
    archive.number("length_offset", length_offset);
    archive.number("array_offset", array_offset);
    archive.number("array_stride", array_stride);
}

template <class Archive, class Fields>
void exchange_source(Archive& archive, Fields& value) {
    auto& [text, entry, workgroup_size, parameters, origin_offset, grid_offset, barrier_state_offset,
           parameter_bytes, static_shared_bytes, dynamic_shared_bytes, debug_map] = value;
    (void)text, (void)debug_map;
    archive.text("entry", entry);
    exchange_extent(archive, workgroup_size);
    archive.list("parameters", parameters, [&](auto& each) { exchange_parameter(archive, each); });
    exchange_optional(archive, "origin_offset", origin_offset);
    exchange_optional(archive, "grid_offset", grid_offset);
    exchange_optional(archive, "barrier_state_offset", barrier_state_offset);
    archive.number("parameter_bytes", parameter_bytes);
    archive.number("static_shared_bytes", static_shared_bytes);
    archive.number("dynamic_shared_bytes", dynamic_shared_bytes);
}

/// True if every offset lies in the block of parameters, and what is written there fits.
bool fits(const CudaSource& source) {
    const auto inside = [&](std::uint64_t offset, std::uint64_t bytes) {
        return offset + bytes <= source.parameter_bytes;
    };
    bool all = source.parameter_bytes <= most_parameter_bytes;
    for (const Parameter& one : source.parameters) {
        const bool has_pointer = one.kind != ParameterKind::uniform_value;
        const bool has_value =
            one.kind == ParameterKind::uniform_value || one.kind == ParameterKind::uniform_either;
        all = all && (!has_pointer || inside(one.offset, 8)) &&
              (!has_value || inside(one.value_offset, one.value_bytes)) &&
              (one.array_stride == 0 || inside(one.length_offset, 4));
    }
    for (const auto& offset : {source.origin_offset, source.grid_offset})
        all = all && (!offset || inside(*offset, 12));
    return all && (!source.barrier_state_offset || inside(*source.barrier_state_offset, 8));
}

}  // namespace

std::vector<std::byte> load_data(const CudaSource& source) {
    ByteWriter writer;
    exchange_source(writer, source);
    return std::move(writer).take();
}

Result<CudaSource> read_load_data(std::span<const std::byte> bytes) {
    CudaSource source;
    ByteReader reader(bytes);
    exchange_source(reader, source);
    if (reader.done() && fits(source)) return source;
    return fail(ErrorCode::invalid_argument,
                fmt::format("The data that the kernel is loaded with is damaged: it has {}.",
                            reader.done() ? "parameters outside of their block" : reader.fault()),
                "compile it again");
}

}  // namespace muster::cuda
