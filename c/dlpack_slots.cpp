// Buffers from and to DLPack tensors.
#include <fmt/format.h>

#include <muster/c/dlpack.hpp>
#include <muster/c/elements.hpp>
#include <muster/c/exports.hpp>
#include <muster/c/host_memory.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {
namespace {

/// Why a tensor's memory can't be a buffer's itself; empty: it can.
std::string why_copied(const TakenTensor& tensor) {
    if (!tensor.is_contiguous) return "it isn't contiguous";
    if (tensor.is_read_only) return "it is read-only, and kernels may write to a buffer";
    if (reinterpret_cast<std::uintptr_t>(tensor.data) % wrapped_alignment != 0)
        return fmt::format("its memory isn't aligned to {} bytes", wrapped_alignment);
    return {};
}

Answer<std::shared_ptr<BufferObject>> import(const std::shared_ptr<SessionObject>& session,
                                             const TakenTensor& taken, std::uint32_t copy,
                                             const std::shared_ptr<GivenMemory>& owner) {
    const auto element = TRY(element_of(taken.element));
    const std::string why = TRY(copies(copy, why_copied(taken)));
    if (why.empty()) return buffer_over(session, {taken.data, taken.bytes}, element, owner);
    const auto memory = TRY(host_zeros(std::max<std::size_t>(taken.bytes, 1)));
    gather(taken, memory.get());
    return buffer_over(session, {memory.get(), taken.bytes}, element, memory);
}

Answer<DLManagedTensorVersioned*> give_tensor(const std::shared_ptr<BufferObject>& buffer,
                                              const muster_export_options* given) {
    const muster_export_options options = TRY(read(given, "muster_export_options"));
    GivenTensor tensor =
        TRY(read_export(options, number_of(buffer->buffer.element_type()), buffer->buffer.bytes()));
    const auto timeout = time_of(options.timeout_ns, default_timeout);
    const std::string why = TRY(
        copies(options.copy, buffer->address != nullptr ? "" : "the buffer isn't over memory of the host"));
    if (why.empty()) {
        TRY(buffer->buffer.sync(timeout));
        tensor.data = buffer->address;
        tensor.keeps = buffer;
        return make_tensor(std::move(tensor));
    }
    const std::uint64_t bytes = TRY(bytes_of_sizes(tensor.sizes, tensor.element));
    const auto memory = TRY(host_zeros(std::max<std::uint64_t>(bytes, 1)));
    TRY(buffer->buffer.read_bytes({memory.get(), bytes}, tensor.offset, timeout));
    tensor.data = memory.get();
    tensor.offset = 0;
    tensor.is_copied = true;
    tensor.keeps = memory;
    return make_tensor(std::move(tensor));
}

}  // namespace

Answer<std::string> copies(std::uint32_t copy, std::string why) {
    switch (copy) {
        case MUSTER_COPY_ALWAYS: return why.empty() ? "a copy is asked for" : why;
        case MUSTER_COPY_IF_NEEDED: return why;
        case MUSTER_COPY_NEVER:
            if (why.empty()) return why;
            return std::unexpected(
                Error{ErrorCode::refused,
                      fmt::format("The memory can't be shared, because {}, and a copy isn't allowed.", why),
                      "set `copy` to MUSTER_COPY_IF_NEEDED",
                      {}});
        default:
            return std::unexpected(
                Error{ErrorCode::invalid_argument,
                      fmt::format("{} isn't a way to copy.", copy),
                      "give MUSTER_COPY_NEVER, MUSTER_COPY_IF_NEEDED or MUSTER_COPY_ALWAYS",
                      {}});
    }
}

Answer<GivenTensor> read_export(const muster_export_options& options, std::uint32_t element,
                                std::uint64_t bytes) {
    TRY(check_flags(options.flags, MUSTER_EXPORT_READ_ONLY, "export options"));
    GivenTensor tensor{.element = options.element != MUSTER_BYTES ? options.element : element,
                       .offset = options.offset,
                       .is_read_only = (options.flags & MUSTER_EXPORT_READ_ONLY) != 0};
    (void)TRY(element_of(tensor.element));
    if (tensor.element == MUSTER_BYTES) tensor.element = MUSTER_U8;
    const std::uint64_t left = options.offset > bytes ? 0 : bytes - options.offset;
    if (options.sizes == nullptr && options.rank == 0) {
        tensor.sizes = {static_cast<std::int64_t>(left / bytes_of_element(tensor.element))};
    } else if (options.rank > 0) {
        if (options.rank > 64) return too_many("sizes", options.rank);
        const auto sizes = TRY(read_values(options.sizes, options.rank, "sizes"));
        tensor.sizes.assign(sizes.begin(), sizes.end());
    }
    const std::uint64_t needed = TRY(bytes_of_sizes(tensor.sizes, tensor.element));
    if (options.offset <= bytes && needed <= left) return tensor;
    return std::unexpected(
        Error{ErrorCode::invalid_argument,
              fmt::format("A tensor of {} bytes from byte {} doesn't lie within the {} that there are.",
                          needed, options.offset, bytes),
              "give sizes that fit",
              {}});
}

void add_dlpack(muster_api& api) {
    api.buffer_from_dlpack = [](muster_session session, DLManagedTensorVersioned* tensor,
                                const muster_import_options* options, muster_buffer* buffer) {
        return call([&]() -> Answer<void> {
            if (buffer == nullptr) return null_pointer("buffer");
            const auto by = TRY(get<SessionObject>(session.id));
            const muster_import_options asked = TRY(read(options, "muster_import_options"));
            const TakenTensor taken = TRY(take(tensor));
            UnlessDone owner(own(tensor));
            TRY(give_handle(buffer, TRY(import(by, taken, asked.copy, owner.given()))));
            owner
                .done();  // of a copied tensor nothing holds it any more: its deleter is called at the end of this call
            return {};
        });
    };
    api.buffer_to_dlpack = [](muster_buffer buffer, const muster_export_options* options,
                              DLManagedTensorVersioned** tensor) {
        return call([&]() -> Answer<void> {
            if (tensor == nullptr) return null_pointer("tensor");
            *tensor = TRY(give_tensor(TRY(get<BufferObject>(buffer.id)), options));
            return {};
        });
    };
}

}  // namespace muster::c
