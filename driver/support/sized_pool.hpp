// sized_pool.hpp - objects of several sizes, such as buffers, that are used again for
// a need of the same size.
//
//     SizedPool<Buffer> pool(1024);   // sizes are multiples of 1024
//     auto lease = TRY(pool.take(bytes, [&](std::uint64_t size) { return make_buffer(size); }));
//     fill(*lease);                   // its destructor returns the buffer
//
// The object that was returned last is used first. Returning one allocates nothing. Leases don't outlive the
// pool. Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class T>
class SizedPool {
    struct Unused {  // objects of one size
        std::uint64_t bytes = 0;
        std::size_t made = 0;
        std::vector<std::unique_ptr<T>> objects;
    };

  public:
    explicit SizedPool(std::uint64_t step_bytes) : step_bytes_(step_bytes) {}
    SizedPool(const SizedPool&) = delete;
    SizedPool& operator=(const SizedPool&) = delete;

    struct Return {
        Unused* home;
        void operator()(T* object) const noexcept { home->objects.emplace_back(object); }
    };
    using Lease = std::unique_ptr<T, Return>;

    /// `make` gets the size, `bytes` rounded up, and returns a
    /// Result<std::unique_ptr<T>>; its error is take()'s.
    template <class Make>
    Result<Lease> take(std::uint64_t bytes, Make&& make) {
        Unused& unused = of_size(round_up(std::max<std::uint64_t>(bytes, 1), step_bytes_));
        if (unused.objects.empty()) {
            unused.objects.reserve(unused.made + 1);  // so that returning an object never allocates
            unused.objects.push_back(TRY(std::forward<Make>(make)(unused.bytes)));
            ++unused.made;
        }
        Lease lease(unused.objects.back().release(), {&unused});
        unused.objects.pop_back();
        return lease;
    }

  private:
    Unused& of_size(std::uint64_t bytes) {
        const auto found = std::ranges::find(unused_, bytes, &Unused::bytes);
        return found != unused_.end() ? *found : unused_.emplace_back(Unused{.bytes = bytes});
    }

    const std::uint64_t step_bytes_;
    std::list<Unused> unused_;  // few; leases point to them
};

MUSTER_API_END
}  // namespace muster
