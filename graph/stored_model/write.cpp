#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <muster/foundation/base/intern_table.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>
#include <muster/graph/stored_model/model_fields.hpp>
#include <muster/graph/stored_model/model_format.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster::graph {
namespace {

/// Weights, each distinct one once.
class WeightTable {
  public:
    /// The number of the weights, from 1.
    std::uint32_t add(std::span<const std::byte> bytes) {
        const auto next = static_cast<std::uint32_t>(all_.size());
        const std::uint32_t at =
            table_.find_or_add(XXH3_64bits(bytes.data(), bytes.size()), next,
                               [&](std::uint32_t i) { return std::ranges::equal(all_[i], bytes); });
        if (at == next) all_.push_back(bytes);
        return at + 1;
    }
    std::span<const std::span<const std::byte>> all() const { return all_; }

  private:
    InternTable table_;
    std::vector<std::span<const std::byte>> all_;
};

// Each function names all members of its structure, so that adding one doesn't compile
// until it is stored, too.

StoredTensor stored(const RunTensor& tensor) {
    const auto& [name, element, sizes, buffer, offset_bytes, contents] = tensor;
    return {.name = name,
            .element = element,
            .sizes = {sizes.begin(), sizes.end()},
            .buffer = buffer,
            .offset_bytes = offset_bytes,
            .has_contents = contents.has_value(),
            .contents = contents.value_or(std::vector<std::byte>())};
}

StoredChoice stored(const RunPlan& plan, WeightTable& table) {
    const auto& [pack, buffers, inputs, outputs, steps, programs, dispatches] = plan;
    (void)pack, (void)programs;  // the package's
    StoredChoice choice{.steps = steps, .dispatches = dispatches};
    for (const RunBuffer& buffer : buffers) {
        const auto& [bytes, weights] = buffer;
        choice.buffers.push_back({bytes, weights.bytes.empty() ? 0 : table.add(weights.bytes)});
    }
    for (const RunTensor& input : inputs) choice.inputs.push_back(stored(input));
    for (const RunTensor& output : outputs) choice.outputs.push_back(stored(output));
    return choice;
}

std::vector<std::byte> description_of(const StoredModelData& model) {
    ByteWriter writer;
    exchange_model(writer, model);
    return std::move(writer).take();
}

/// XXH3-64 of weights and the zeros behind them.
std::uint64_t padded_hash(std::span<const std::byte> bytes) {
    constexpr std::array<std::byte, 64> zeros{};
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, bytes.data(), bytes.size());
    XXH3_64bits_update(&state, zeros.data(),
                       static_cast<std::size_t>(blob_aligned(bytes.size())) - bytes.size());
    return XXH3_64bits_digest(&state);
}

/// The head, the description and its checksum.
std::vector<std::byte> front_of(const StoredModelData& model, std::uint64_t file_bytes) {
    const std::vector<std::byte> description = description_of(model);
    ByteWriter writer;
    writer.number("magic", model_magic);
    writer.number("version", model_version);
    writer.number("reserved", std::uint32_t{0});
    writer.number("description", std::uint64_t{description.size()});
    writer.number("bytes", file_bytes);
    writer.raw(description);
    const XXH128_hash_t hash = XXH3_128bits(writer.bytes().data(), writer.bytes().size());
    writer.number("high", std::uint64_t{hash.high64});
    writer.number("low", std::uint64_t{hash.low64});
    return std::move(writer).take();
}

}  // namespace

std::vector<std::byte> model_artifact_bytes(const ModelPackage& package) {
    StoredModelData model{.name = package.name, .pack = package.pack, .options = package.options};
    WeightTable weights;
    for (const RunPlan& plan : package.choices) model.choices.push_back(stored(plan, weights));
    std::vector<std::vector<std::byte>> kernels;
    for (const ArtifactFile& file : package.kernels) kernels.push_back(artifact_file_bytes(file));

    std::vector<std::span<const std::byte>> blobs(kernels.begin(), kernels.end());
    for (const auto& kernel : kernels) model.kernels.push_back({0, kernel.size(), 0});
    for (const auto bytes : weights.all()) model.weights.push_back({0, bytes.size(), padded_hash(bytes)});
    blobs.insert(blobs.end(), weights.all().begin(), weights.all().end());
    std::uint64_t end = blob_aligned(front_of(model, 0).size());
    for (auto* const list : {&model.kernels, &model.weights}) {
        for (StoredBlob& blob : *list) {
            blob.offset = end;
            end = blob_aligned(end + blob.bytes);
        }
    }
    std::vector<std::byte> file = front_of(model, end);
    file.reserve(static_cast<std::size_t>(end));
    for (const auto blob : blobs) {
        file.resize(static_cast<std::size_t>(blob_aligned(file.size())));
        file.insert(file.end(), blob.begin(), blob.end());
    }
    file.resize(static_cast<std::size_t>(end));
    return file;
}

}  // namespace muster::graph
