// The allocations and CUDA objects of a dispatch that was made before. The fake driver's own allocations don't
// count.
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "bench.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (!muster::test::FakeDriver::inside()) allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
// A replacement, so that the memory goes to the same operator delete.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace muster;
using namespace muster::cuda;

namespace {

/// The limit on allocations in the test. The number in flight at once depends on the machine's other work, and
/// each new maximum allocates some more; a dispatch that allocated for itself would make ten thousand.
constexpr std::uint64_t few = 500;

std::uint64_t objects(const test::FakeDriver& fake) {
    return fake.calls("cuEventCreate") + fake.calls("cuMemHostAlloc") + fake.calls("cuMemAlloc") +
           fake.calls("cuMemAllocFromPoolAsync");
}

}  // namespace

TEST_CASE("ten thousand dispatches make no object of CUDA's and allocate nothing after the first hundred") {
    for (const std::uint32_t most_value_bytes : {256u, 0u})
        for (const Way& way : ways) {
            Machine machine;
            way.set(machine);
            machine.compiler.most_value_bytes = most_value_bytes;
            Session session = machine.session();
            const Kernel kernel = prepared(session, test::saxpy());
            const Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
            const std::vector<Argument> arguments{{"a", 1.0f}, {"x", x}, {"y", y}};
            bool all_went_well = true;
            const auto run = [&](int count) {
                for (int i = 0; i < count; ++i) {
                    const auto ticket = session.dispatch(kernel, arguments, Workgroups{1});
                    all_went_well = all_went_well && ticket && (i % 8 != 0 || ticket->wait());
                }
            };
            run(100);
            const std::uint64_t allocated = allocations, made = objects(machine.fake);
            run(10'000);
            CHECK(allocations - allocated < few);
            CHECK(objects(machine.fake) - made < few);
            CHECK(all_went_well);
            CHECK(y.read_all<float>()->back() == 10'100.0f);
        }
}
