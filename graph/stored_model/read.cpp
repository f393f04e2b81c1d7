#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/ir/tensor.hpp>
#include <muster/graph/run/device_tensor.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>
#include <muster/graph/stored_model/model_fields.hpp>
#include <muster/graph/stored_model/model_format.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster::graph {
namespace {

std::unexpected<Error> refuse(std::string why,
                              std::string fix = "emit the artifact again, or copy it again") {
    return fail(ErrorCode::invalid_argument, std::move(why), std::move(fix));
}

std::unexpected<Error> damaged(std::string_view why) {
    return refuse(fmt::format("The model's artifact is damaged: {}.", why));
}

struct Head {
    std::uint64_t magic = 0, description_bytes = 0, file_bytes = 0;
    std::uint32_t version = 0, reserved = 0;
};

Result<Head> read_head(std::span<const std::byte> bytes) {
    if (!is_model_artifact(bytes))
        return refuse("This isn't an artifact of a model: it doesn't begin as one does.",
                      "give a file that muster emit made of a model");
    if (bytes.size() < model_head_bytes + model_checksum_bytes)
        return refuse(fmt::format("The model's artifact is cut off: it has {} bytes.", bytes.size()));
    Head head;
    ByteReader reader(bytes);
    auto& [magic, description_bytes, file_bytes, head_version, reserved] = head;
    reader.number("magic", magic);
    reader.number("version", head_version);
    reader.number("reserved", reserved);
    reader.number("description", description_bytes);
    reader.number("bytes", file_bytes);
    if (head.version != model_version)
        return refuse(
            fmt::format("The model's artifact is of format version {}, and this muster reads version {}.",
                        head.version, model_version),
            "emit it again with this version of muster");
    if (head.file_bytes != bytes.size())
        return refuse(
            fmt::format("The model's artifact has {} bytes instead of {}.", bytes.size(), head.file_bytes));
    if (head.description_bytes > bytes.size() - model_head_bytes - model_checksum_bytes)
        return damaged("its description is longer than itself");
    return head;
}

bool checksum_fits(std::span<const std::byte> bytes, std::size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), count);
    std::uint64_t high = 0, low = 0;
    ByteReader reader(bytes.subspan(count, model_checksum_bytes));
    reader.number("high", high);
    reader.number("low", low);
    return high == hash.high64 && low == hash.low64;
}

bool are_zeros(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; });
}

/// True if a tensor's elements lie in its buffer, and its contents have as many bytes as it has.
bool has_place(const StoredTensor& tensor, std::span<const StoredBuffer> buffers) {
    if (tensor.buffer >= buffers.size() || tensor.offset_bytes % device_bytes(tensor.element) != 0)
        return false;
    std::vector<std::int64_t> sizes;
    for (const std::uint64_t size : tensor.sizes) {
        if (size > static_cast<std::uint64_t>(max_elements)) return false;
        sizes.push_back(static_cast<std::int64_t>(size));
    }
    const auto count = checked_element_count(sizes);
    if (!count) return false;
    const auto elements = static_cast<std::uint64_t>(*count);
    const std::uint64_t bytes = buffers[tensor.buffer].bytes;
    const bool is_within = tensor.offset_bytes <= bytes &&
                           elements * device_bytes(tensor.element) <= bytes - tensor.offset_bytes;
    const std::uint64_t contents = tensor.has_contents ? elements * bytes_of(tensor.element) : 0;
    return is_within && tensor.contents.size() == contents;
}

/// Reads the parts of a file whose description is whole.
class Reader {
  public:
    Reader(std::span<std::byte> bytes, std::shared_ptr<const void> owner)
        : bytes_(bytes), owner_(std::move(owner)) {}

    Result<ModelArtifact> read(StoredModelData model, std::uint64_t front_bytes) {
        TRY(check_blobs(model, front_bytes));
        ModelArtifact artifact{.name = std::move(model.name),
                               .pack = std::move(model.pack),
                               .options = std::move(model.options),
                               .bytes = bytes_.size()};
        if (model.choices.empty()) return damaged("it is for no sizes of inputs");
        std::vector<ProgramSource> programs;
        for (const StoredBlob& kernel : model.kernels) {
            programs.push_back([bytes = std::span<const std::byte>(at(kernel)), owner = owner_] {
                return during("reading a kernel", read_artifact_file(bytes));
            });
        }
        for (StoredChoice& choice : model.choices) {
            TRY(check(choice, model));
            artifact.choices.push_back(plan_of(std::move(choice), model));
            artifact.choices.back().programs = programs;
            TRY(check_inputs(artifact.choices.front(), artifact.choices.back()));
        }
        return artifact;
    }

  private:
    std::span<std::byte> at(const StoredBlob& blob) const {
        return bytes_.subspan(static_cast<std::size_t>(blob.offset), static_cast<std::size_t>(blob.bytes));
    }

    /// Checks that blobs follow one another, to the file's end.
    Result<void> check_blobs(const StoredModelData& model, std::uint64_t front_bytes) const {
        std::uint64_t end = front_bytes;
        const auto zeros_to = [&](std::uint64_t next) {
            return are_zeros(
                bytes_.subspan(static_cast<std::size_t>(end), static_cast<std::size_t>(next - end)));
        };
        bool is_right = true;
        for (const auto* const list : {&model.kernels, &model.weights}) {
            for (const StoredBlob& blob : *list) {
                const std::uint64_t begin = blob_aligned(end);
                if (blob.offset != begin || begin > bytes_.size() || blob.bytes > bytes_.size() - begin)
                    return damaged("a kernel or weights lie elsewhere than they should");
                // The zeros behind weights belong to what their hash is of: they needn't be read now.
                const bool is_behind_weights = list == &model.weights && &blob != list->data();
                is_right = is_right && (is_behind_weights || zeros_to(begin));
                end = begin + blob.bytes;
            }
        }
        if (blob_aligned(end) != bytes_.size()) return damaged("it has bytes that belong to nothing");
        is_right = is_right && (!model.weights.empty() || zeros_to(bytes_.size()));
        if (!is_right) return damaged("it has bytes between its parts");
        return {};
    }

    Result<void> check(const StoredChoice& choice, const StoredModelData& model) const {
        for (const StoredBuffer& buffer : choice.buffers) {
            const bool is_size = buffer.bytes >= 4 && buffer.bytes % 4 == 0;
            const bool is_weights = buffer.weights != 0;
            if (!is_size || buffer.weights > model.weights.size() ||
                (is_weights && model.weights[buffer.weights - 1].bytes != buffer.bytes))
                return damaged("a buffer has another size than its weights, or none");
        }
        for (const StoredTensor& input : choice.inputs)
            if (!has_place(input, choice.buffers) || choice.buffers[input.buffer].weights != 0)
                return damaged(
                    fmt::format("input \"{}\" doesn't lie in a buffer for values", printable(input.name)));
        for (const StoredTensor& output : choice.outputs)
            if (!has_place(output, choice.buffers))
                return damaged(fmt::format("output \"{}\" doesn't lie in a buffer", printable(output.name)));
        for (const RunDispatch& dispatch : choice.dispatches) {
            const bool is_there =
                dispatch.program < model.kernels.size() && dispatch.step < choice.steps.size();
            const auto has_buffer = [&](const RunBinding& binding) {
                if (binding.buffer >= choice.buffers.size()) return false;
                const std::uint64_t bytes = choice.buffers[binding.buffer].bytes;
                return binding.offset <= bytes && binding.bytes <= bytes - binding.offset;
            };
            if (!is_there || !std::ranges::all_of(dispatch.bindings, has_buffer))
                return damaged("a dispatch names a kernel, a step or a buffer that isn't there");
        }
        return {};
    }

    static Result<void> check_inputs(const RunPlan& first, const RunPlan& other) {
        const auto same = [](const RunTensor& a, const RunTensor& b) {
            return a.name == b.name && a.element == b.element && a.sizes.size() == b.sizes.size();
        };
        if (std::ranges::equal(first.inputs, other.inputs, same) &&
            std::ranges::equal(first.outputs, other.outputs, same))
            return {};
        return damaged("its plans are of models with other inputs or outputs");
    }

    static RunTensor tensor_of(StoredTensor tensor) {
        RunTensor result{.name = std::move(tensor.name),
                         .element = tensor.element,
                         .buffer = tensor.buffer,
                         .offset_bytes = tensor.offset_bytes};
        for (const std::uint64_t size : tensor.sizes) result.sizes.push_back(static_cast<std::int64_t>(size));
        if (tensor.has_contents) result.contents = std::move(tensor.contents);
        return result;
    }

    RunPlan plan_of(StoredChoice choice, const StoredModelData& model) const {
        RunPlan plan{.steps = std::move(choice.steps), .dispatches = std::move(choice.dispatches)};
        for (const StoredBuffer& buffer : choice.buffers) {
            RunBuffer& made = plan.buffers.emplace_back(RunBuffer{.bytes = buffer.bytes});
            if (buffer.weights == 0) continue;
            const StoredBlob& blob = model.weights[buffer.weights - 1];
            const auto padded = static_cast<std::size_t>(blob_aligned(blob.bytes));
            made.weights = {.bytes = at(blob),
                            .owner = owner_,
                            .is_kept = true,
                            .hashed = bytes_.subspan(static_cast<std::size_t>(blob.offset), padded),
                            .hash = blob.hash};
        }
        for (StoredTensor& input : choice.inputs) plan.inputs.push_back(tensor_of(std::move(input)));
        for (StoredTensor& output : choice.outputs) plan.outputs.push_back(tensor_of(std::move(output)));
        return plan;
    }

    std::span<std::byte> bytes_;
    std::shared_ptr<const void> owner_;
};

}  // namespace

bool is_model_artifact(std::span<const std::byte> bytes) {
    std::uint64_t number = 0;
    ByteReader(bytes).number("magic", number);
    return number == model_magic;
}

Result<ModelArtifact> read_model_artifact(std::span<std::byte> bytes, std::shared_ptr<const void> owner) {
    const Head head = TRY(read_head(bytes));
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % wrapped_alignment != 0)
        return refuse(
            fmt::format("The artifact's bytes begin at no multiple of {} in memory.", wrapped_alignment),
            "read the file (load_model_artifact), or align its bytes");
    const auto description_end = static_cast<std::size_t>(model_head_bytes + head.description_bytes);
    if (!checksum_fits(bytes, description_end)) return damaged("its checksum is wrong");
    if (head.reserved != 0) return damaged("its head is wrong");
    StoredModelData model;
    ByteReader reader(bytes.subspan(model_head_bytes, static_cast<std::size_t>(head.description_bytes)));
    exchange_model(reader, model);
    if (!reader.done()) return damaged(fmt::format("its description has {}", reader.fault()));
    return Reader(bytes, std::move(owner)).read(std::move(model), description_end + model_checksum_bytes);
}

}  // namespace muster::graph
