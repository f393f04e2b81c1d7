#include <cstdlib>
#include <utility>

#include <muster/backend-cpu/device/memory.hpp>
#include <muster/backend-cpu/device/scratch.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/platform/per_thread.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint64_t kept_bytes = std::uint64_t{1} << 20;
static_assert(memory_align % scratch_align == 0);

struct Kept {
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
    ~Kept() { std::free(data); }
};

/// Null if there is no memory for it.
Kept* kept_by_this_thread() {
    static PerThread<Kept> kept;
    return kept.find();
}

}  // namespace

Scratch::Scratch(std::unique_ptr<Memory> own) : data_(host_bytes(*own).data()), own_(std::move(own)) {}

Result<Scratch> Scratch::of_this_thread(std::uint64_t bytes) {
    if (bytes > kept_bytes) return Scratch(TRY(allocate_host(bytes)));
    Kept* const kept = kept_by_this_thread();
    if (kept == nullptr)
        return fail(ErrorCode::out_of_memory, "The host has no memory left for a kernel's scratch.");
    if (bytes > kept->bytes) {
        const std::uint64_t more = round_up(bytes, 4096);
        void* data = nullptr;
        TRY(check_errno("posix_memalign", [&] { return posix_memalign(&data, scratch_align, more); }));
        std::free(std::exchange(kept->data, static_cast<std::byte*>(data)));
        kept->bytes = more;
    }
    return Scratch(kept->data);
}

}  // namespace muster::cpu
