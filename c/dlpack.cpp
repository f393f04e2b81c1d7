#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <muster/c/dlpack.hpp>
#include <muster/c/elements.hpp>

// DLPack 1.x, "DLManagedTensorVersioned": the version, the producer's own pointer, the
// deleter, flags, then the tensor.
struct DLManagedTensorVersioned {
    std::uint32_t major, minor;
    void* producers;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    void* data;
    std::int32_t device_type, device_id;
    std::int32_t axes;
    std::uint8_t type_code, type_bits;
    std::uint16_t type_lanes;
    std::int64_t* sizes;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};

namespace muster::c {
namespace {

constexpr std::uint32_t version_major = 1, version_minor = 1;
constexpr std::uint64_t flag_read_only = 1, flag_copied = 2;
constexpr std::int32_t most_axes = 64;
// Devices whose memory is the host's: CPU, and page-locked memory of CUDA and ROCm.
constexpr std::int32_t device_cpu = 1, device_cuda_host = 3, device_rocm_host = 11;

/// DLPack's codes of types, each with ours of its bits.
struct TypeRow {
    std::uint8_t code, bits;
    std::uint32_t element;
};
constexpr std::array type_rows{
    TypeRow{0, 8, MUSTER_I8},   TypeRow{0, 16, MUSTER_I16}, TypeRow{0, 32, MUSTER_I32},
    TypeRow{0, 64, MUSTER_I64}, TypeRow{1, 8, MUSTER_U8},   TypeRow{1, 16, MUSTER_U16},
    TypeRow{1, 32, MUSTER_U32}, TypeRow{1, 64, MUSTER_U64}, TypeRow{2, 16, MUSTER_F16},
    TypeRow{2, 32, MUSTER_F32}, TypeRow{2, 64, MUSTER_F64}, TypeRow{6, 8, MUSTER_BOOL}};

std::unexpected<Fault> not_taken(ErrorCode code, std::string why, std::string fix) {
    return std::unexpected<Fault>(
        Error{code, "The DLPack tensor can't be taken: " + std::move(why) + ".", std::move(fix), {}});
}

bool is_row_major(const TakenTensor& tensor) {
    std::int64_t expected = 1;
    for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
        if (tensor.sizes[i] == 1) continue;
        if (tensor.strides[i] != expected) return false;
        expected *= tensor.sizes[i];
    }
    return true;
}

std::vector<std::int64_t> row_major(std::span<const std::int64_t> sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        strides[i - 1] = strides[i] * std::max<std::int64_t>(sizes[i], 1);
    return strides;
}

/// A made tensor with what it points to.
struct MadeTensor {
    DLManagedTensorVersioned tensor{};
    std::vector<std::int64_t> sizes, strides;
    std::shared_ptr<const void> keeps;
};

}  // namespace

std::size_t bytes_of_element(std::uint32_t element) {
    const auto type = element_of(element);
    return type && *type ? (*type)->bytes : 1;
}

Answer<std::uint64_t> bytes_of_sizes(std::span<const std::int64_t> sizes, std::uint32_t element) {
    if (sizes.size() > most_axes)
        return std::unexpected(
            Error{ErrorCode::invalid_argument,
                  fmt::format("A tensor has {} axes, and may have {}.", sizes.size(), most_axes),
                  "join axes",
                  {}});
    constexpr std::uint64_t most = std::uint64_t{1} << 48;  // elements, as of models
    std::uint64_t count = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0)
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         fmt::format("A size is {}.", size),
                                         "give sizes of 0 or more",
                                         {}});
        const auto factor = static_cast<std::uint64_t>(size);
        if (factor != 0 && count > most / factor)
            return std::unexpected(Error{
                ErrorCode::limit_exceeded, "A tensor has more than 2^48 elements.", "use a smaller one", {}});
        count *= factor;
    }
    return count * bytes_of_element(element);
}

Answer<TakenTensor> take(const DLManagedTensorVersioned* tensor) {
    if (tensor == nullptr) return not_taken(ErrorCode::invalid_argument, "it is null", "give one");
    if (tensor->major != version_major)
        return not_taken(ErrorCode::unsupported,
                         fmt::format("its version is {}.{}", tensor->major, tensor->minor),
                         "ask its producer for version 1");
    if (tensor->device_type != device_cpu && tensor->device_type != device_cuda_host &&
        tensor->device_type != device_rocm_host)
        return not_taken(ErrorCode::unsupported,
                         fmt::format("its memory is that of a device of type {}", tensor->device_type),
                         "copy it to the host first");
    if (tensor->axes < 0 || tensor->axes > most_axes || (tensor->axes > 0 && tensor->sizes == nullptr))
        return not_taken(ErrorCode::invalid_argument, fmt::format("it has {} axes", tensor->axes),
                         "give one with at most 64, and its sizes");
    const auto row = std::ranges::find_if(type_rows, [&](const TypeRow& each) {
        return each.code == tensor->type_code && each.bits == tensor->type_bits && tensor->type_lanes == 1;
    });
    if (row == type_rows.end())
        return not_taken(ErrorCode::unsupported,
                         fmt::format("its elements are of code {} with {} bits and {} lanes",
                                     tensor->type_code, tensor->type_bits, tensor->type_lanes),
                         "convert it: bool, integers of 8 to 64 bits and floats of 16 to 64 bits are known");
    TakenTensor taken{.element = row->element, .element_bytes = bytes_of_element(row->element)};
    taken.sizes.assign(tensor->sizes, tensor->sizes + tensor->axes);
    taken.bytes = TRY(bytes_of_sizes(taken.sizes, taken.element));
    if (tensor->strides != nullptr)
        taken.strides.assign(tensor->strides, tensor->strides + tensor->axes);
    else
        taken.strides = row_major(taken.sizes);
    taken.is_contiguous = taken.bytes == 0 || is_row_major(taken);
    taken.is_read_only = (tensor->flags & flag_read_only) != 0;
    if (taken.bytes == 0) return taken;
    if (tensor->data == nullptr)
        return not_taken(ErrorCode::invalid_argument, "it has elements, and its data are null",
                         "give its data");
    taken.data = static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
    return taken;
}

void gather(const TakenTensor& from, std::byte* to) {
    if (from.bytes == 0) return;
    if (from.is_contiguous) {
        std::memcpy(to, from.data, from.bytes);
        return;
    }
    const std::size_t axes = from.sizes.size();
    std::vector<std::int64_t> at(axes, 0);
    for (std::byte* const end = to + from.bytes; to != end; to += from.element_bytes) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < axes; ++i) offset += at[i] * from.strides[i];
        std::memcpy(to, from.data + offset * static_cast<std::int64_t>(from.element_bytes),
                    from.element_bytes);
        for (std::size_t i = axes; i-- > 0;) {
            if (++at[i] < from.sizes[i]) break;
            at[i] = 0;
        }
    }
}

std::shared_ptr<GivenMemory> own(DLManagedTensorVersioned* tensor) {
    return give(
        [](void* self) {
            auto* const owned = static_cast<DLManagedTensorVersioned*>(self);
            if (owned->deleter != nullptr) owned->deleter(owned);
        },
        tensor);
}

DLManagedTensorVersioned* make_tensor(GivenTensor given) {
    auto made = std::make_unique<MadeTensor>();
    made->sizes = std::move(given.sizes);
    made->strides = row_major(made->sizes);
    made->keeps = std::move(given.keeps);
    const auto row = std::ranges::find(type_rows, given.element, &TypeRow::element);
    const TypeRow type = row == type_rows.end() ? TypeRow{1, 8, MUSTER_U8} : *row;
    made->tensor = {
        .major = version_major,
        .minor = version_minor,
        .producers = made.get(),
        .deleter = [](DLManagedTensorVersioned* self) { delete static_cast<MadeTensor*>(self->producers); },
        .flags = (given.is_read_only ? flag_read_only : 0) | (given.is_copied ? flag_copied : 0),
        .data = given.data,
        .device_type = device_cpu,
        .device_id = 0,
        .axes = static_cast<std::int32_t>(made->sizes.size()),
        .type_code = type.code,
        .type_bits = type.bits,
        .type_lanes = 1,
        .sizes = made->sizes.data(),
        .strides = made->strides.data(),
        .byte_offset = given.offset};
    return &made.release()->tensor;
}

}  // namespace muster::c
