// artifact_fields.hpp - the fields of an Artifact in the order in which they are stored: for ByteWriter and
// ByteReader (foundation/base/byte_archive.hpp).
//
//     ByteWriter writer;
//     exchange_artifact(writer, artifact);
//
// Every member of a structure is named here, so that adding one doesn't compile until it is stored, too.
// in_process isn't stored: it means nothing to another process. Pure.
#pragma once

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/archive/source_fields.hpp>
#include <muster/foundation/base/byte_archive.hpp>

namespace muster {

template <class Archive, class Fields>
void exchange_pairs(Archive& archive, Fields& values) {
    archive.list("pairs", values, [&](auto& pair) {
        archive.text("key", pair.first);
        archive.text("value", pair.second);
    });
}

template <class Archive, class Fields>
void exchange_options(Archive& archive, Fields& value) {
    auto& [precision, unchecked, subgroup_size, specs] = value;
    archive.choice("precision", precision, Precision::fast);
    archive.flag("unchecked", unchecked);
    archive.number("subgroup_size", subgroup_size);
    exchange_pairs(archive, specs);
}

template <class Archive, class Fields>
void exchange_binding(Archive& archive, Fields& value) {
    auto& [name, group, binding, space, access, type, min_bytes] = value;
    archive.text("binding", name);
    archive.number("group", group);
    archive.number("number", binding);
    archive.choice("space", space, AddressSpace::uniform);
    archive.choice("access", access, Access::read_write);
    archive.text("type", type);
    archive.number("min_bytes", min_bytes);
}

template <class Archive, class Fields>
void exchange_artifact(Archive& archive, Fields& value) {
    auto& [bytes, format, target, entry, workgroup_size, bindings, debug_map, files, fingerprint,
           emitted_fingerprint, options, side_files, load_data, is_stored, in_process] = value;
    (void)is_stored, (void)in_process;
    archive.blob("bytes", bytes);
    archive.text("format", format);
    archive.text("target", target);
    archive.text("entry", entry);
    exchange_extent(archive, workgroup_size);
    archive.list("bindings", bindings, [&](auto& each) { exchange_binding(archive, each); });
    archive.list("debug_map", debug_map, [&](auto& each) {
        auto& [at, node, source] = each;
        archive.number("target", at);
        archive.number("node", node.index);
        exchange_location(archive, source);
    });
    archive.list("files", files, [&](auto& each) { exchange_file(archive, each); });
    exchange_digest(archive, fingerprint);
    exchange_digest(archive, emitted_fingerprint);
    exchange_options(archive, options);
    exchange_pairs(archive, side_files);
    archive.blob("load_data", load_data);
}

}  // namespace muster
