#include <cstdlib>

#include <muster/backend-cpu/check.hpp>
#include <muster/backend-cpu/kernel_abi.hpp>
#include <muster/backend-cpu/scratch.hpp>
#include <muster/foundation/round_up.hpp>
#include <muster/foundation/try.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint64_t kept_bytes = std::uint64_t{1} << 20;

struct Kept {
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
    ~Kept() { std::free(data); }
};
thread_local Kept kept;

Result<std::byte*> allocate(std::uint64_t bytes) {
    void* data = nullptr;
    TRY(check("posix_memalign", [&] { return posix_memalign(&data, scratch_align, bytes); }));
    return static_cast<std::byte*>(data);
}

}  // namespace

Result<Scratch> Scratch::of_this_thread(std::uint64_t bytes) {
    if (bytes > kept_bytes) return Scratch(TRY(allocate(bytes)), true);
    if (bytes > kept.bytes) {
        const std::uint64_t more = round_up(bytes, 4096);
        std::byte* const data = TRY(allocate(more));
        std::free(kept.data);
        kept.data = data;
        kept.bytes = more;
    }
    return Scratch(kept.data, false);
}

Scratch::~Scratch() {
    if (owned_) std::free(data_);
}

}  // namespace muster::cpu
