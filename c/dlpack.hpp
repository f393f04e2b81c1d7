// dlpack.hpp - tensors as DLPack 1.x has them, read and made. The layout is DLPack's;
// its header isn't needed.
//
//     const TakenTensor taken = TRY(take(tensor));        // what it says, checked; nothing is owned yet
//     DLManagedTensorVersioned* made = TRY(make_tensor({...}));
//
// Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <muster/c/answer.hpp>
#include <muster/c/given_memory.hpp>

struct DLManagedTensorVersioned;

namespace muster::c {

/// A tensor of the caller's, as its fields say.
struct TakenTensor {
    std::uint32_t element = MUSTER_BYTES;
    std::size_t element_bytes = 1;
    std::vector<std::int64_t> sizes, strides;  // in elements
    std::byte* data = nullptr;
    std::size_t bytes = 0;  // of its elements
    bool is_read_only = false, is_contiguous = true;
};
/// Errors: invalid_argument (null, sizes), unsupported (device, type, version), limit_exceeded.
Answer<TakenTensor> take(const DLManagedTensorVersioned* tensor);
/// The elements in row-major order.
void gather(const TakenTensor& from, std::byte* to);
/// Owns the tensor from now on: its deleter is called once, when nothing holds this any
/// more (given_memory.hpp).
std::shared_ptr<GivenMemory> own(DLManagedTensorVersioned* tensor);

/// A tensor to make.
struct GivenTensor {
    std::uint32_t element = MUSTER_BYTES;
    std::vector<std::int64_t> sizes;
    void* data = nullptr;
    std::uint64_t offset = 0;
    bool is_read_only = false, is_copied = false;
    std::shared_ptr<const void> keeps;  // until its deleter is called
};
/// Throws std::bad_alloc.
DLManagedTensorVersioned* make_tensor(GivenTensor given);

/// The bytes of an element. Precondition: `element` is one.
std::size_t bytes_of_element(std::uint32_t element);
/// The bytes of so many elements. Errors: invalid_argument (a negative size, more axes than there
/// may be), limit_exceeded.
Answer<std::uint64_t> bytes_of_sizes(std::span<const std::int64_t> sizes, std::uint32_t element);

}  // namespace muster::c
