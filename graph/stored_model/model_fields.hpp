// model_fields.hpp - the description in an artifact of a model, and the order in which its fields are stored:
// for ByteWriter and ByteReader (foundation/base/byte_archive.hpp). Internal to graph/stored_model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/driver/artifact/artifact_fields.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/graph/ir/element_type.hpp>
#include <muster/graph/run/run_plan.hpp>

namespace muster::graph {

/// Bytes in the file, behind the description.
struct StoredBlob {
    std::uint64_t offset = 0, bytes = 0;
    std::uint64_t hash = 0;  // XXH3-64, of weights alone: kernels have a checksum of their own
};

struct StoredBuffer {
    std::uint64_t bytes = 0;
    std::uint32_t weights = 0;  // 0: values; else the number of the blob, from 1
};

struct StoredTensor {
    std::string name;
    ElementType element = ElementType::f32;
    std::vector<std::uint64_t> sizes;
    std::uint32_t buffer = 0;
    std::uint64_t offset_bytes = 0;
    bool has_contents = false;
    std::vector<std::byte> contents;
};

struct StoredChoice {
    std::vector<StoredBuffer> buffers;
    std::vector<StoredTensor> inputs, outputs;
    std::vector<RunStep> steps;
    std::vector<RunDispatch> dispatches;
};

struct StoredModelData {
    std::string name, pack;
    CompileOptions options;
    std::vector<StoredBlob> kernels, weights;
    std::vector<StoredChoice> choices;
};

template <class Archive, class Fields>
void exchange_blob(Archive& archive, Fields& value) {
    auto& [offset, bytes, hash] = value;
    archive.number("offset", offset);
    archive.number("bytes", bytes);
    archive.number("hash", hash);
}

template <class Archive, class Fields>
void exchange_tensor(Archive& archive, Fields& value) {
    auto& [name, element, sizes, buffer, offset_bytes, has_contents, contents] = value;
    archive.text("tensor", name);
    archive.choice("element", element, ElementType::boolean);
    archive.list("sizes", sizes, [&](auto& size) { archive.number("size", size); });
    archive.number("buffer", buffer);
    archive.number("offset", offset_bytes);
    archive.flag("has_contents", has_contents);
    archive.blob("contents", contents);
}

template <class Archive, class Fields>
void exchange_dispatch(Archive& archive, Fields& value) {
    auto& [program, step, workgroups, bindings] = value;
    archive.number("program", program);
    archive.number("step", step);
    for (auto& each : workgroups) archive.number("workgroups", each);
    archive.list("bindings", bindings, [&](auto& binding) {
        auto& [name, buffer, offset, bytes] = binding;
        archive.text("binding", name);
        archive.number("buffer", buffer);
        archive.number("offset", offset);
        archive.number("bytes", bytes);
    });
}

template <class Archive, class Fields>
void exchange_choice(Archive& archive, Fields& value) {
    auto& [buffers, inputs, outputs, steps, dispatches] = value;
    archive.list("buffers", buffers, [&](auto& buffer) {
        auto& [bytes, weights] = buffer;
        archive.number("bytes", bytes);
        archive.number("weights", weights);
    });
    archive.list("inputs", inputs, [&](auto& each) { exchange_tensor(archive, each); });
    archive.list("outputs", outputs, [&](auto& each) { exchange_tensor(archive, each); });
    archive.list("steps", steps, [&](auto& step) {
        auto& [nodes, pattern] = step;
        archive.list("nodes", nodes, [&](auto& node) { archive.text("node", node); });
        archive.text("pattern", pattern);
    });
    archive.list("dispatches", dispatches, [&](auto& each) { exchange_dispatch(archive, each); });
}

template <class Archive, class Fields>
void exchange_model(Archive& archive, Fields& value) {
    auto& [name, pack, options, kernels, weights, choices] = value;
    archive.text("name", name);
    archive.text("pack", pack);
    exchange_options(archive, options);
    archive.list("kernels", kernels, [&](auto& each) { exchange_blob(archive, each); });
    archive.list("weights", weights, [&](auto& each) { exchange_blob(archive, each); });
    archive.list("choices", choices, [&](auto& each) { exchange_choice(archive, each); });
}

}  // namespace muster::graph
