// no_memory - preloaded into a process: its allocations fail from the one on whose number is in
// MUSTER_TEST_FAIL_FROM.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {

// NOLINTBEGIN: the names are glibc's.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

static bool fails() {
    static std::atomic<long> made{0};
    static const long first = [] {
        const char* const text = std::getenv("MUSTER_TEST_FAIL_FROM");
        return text != nullptr ? std::atol(text) : -1;
    }();
    return first >= 0 && made.fetch_add(1) >= first;
}

static void* none() {
    errno = ENOMEM;
    return nullptr;
}

void* malloc(std::size_t bytes) { return fails() ? none() : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return fails() ? none() : __libc_calloc(count, bytes); }
void* realloc(void* old, std::size_t bytes) { return fails() ? none() : __libc_realloc(old, bytes); }
// NOLINTEND
}
