// failing_malloc - a library to preload: in the program, every allocation from number MUSTER_TEST_FAIL_FROM on fails, on all threads.
// As the program ends by itself, it tells on standard error how many were asked for, if MUSTER_TEST_COUNT is set.
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>

#include <unistd.h>

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own functions
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

constexpr long unknown = -1;
constinit std::atomic<long> asked{0}, first{unknown};

bool fails() {
    if (first.load(std::memory_order_relaxed) == unknown) {
        const char* const text = std::getenv("MUSTER_TEST_FAIL_FROM");
        first.store(text != nullptr ? std::atol(text) : LONG_MAX, std::memory_order_relaxed);
    }
    if (asked.fetch_add(1, std::memory_order_relaxed) < first.load(std::memory_order_relaxed)) return false;
    errno = ENOMEM;
    return true;
}

[[gnu::destructor]] void tell() {
    if (std::getenv("MUSTER_TEST_COUNT") == nullptr) return;
    char digits[24];
    std::size_t at = sizeof digits;
    digits[--at] = '\n';
    long left = asked.load();
    do digits[--at] = static_cast<char>('0' + left % 10);
    while ((left /= 10) != 0);
    [[maybe_unused]] const auto written = write(STDERR_FILENO, digits + at, sizeof digits - at);
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return fails() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* memory, std::size_t bytes) { return fails() ? nullptr : __libc_realloc(memory, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) {
    return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    *memory = memalign(alignment, bytes);
    return *memory != nullptr ? 0 : ENOMEM;
}
}
// NOLINTEND(bugprone-reserved-identifier)
