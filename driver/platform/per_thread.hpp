// per_thread.hpp - one object for each thread that uses it, destroyed with its thread.
//
//     static PerThread<std::vector<int>> spare;
//     spare.get().push_back(1);      // std::bad_alloc if there is no memory for the object
//     if (auto* there = spare.find()) there->clear();   // null in that case
//
// A thread_local with a destructor does the same, but glibc ends the process if no memory is left to
// register the destructor. The main thread's object is never destroyed, nor is the PerThread, which
// is a static. Threads: any.
#pragma once

#include <memory>
#include <new>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class T>
class PerThread {
  public:
#if defined(_WIN32)
    T* find() {
        static thread_local T of_this_thread;
        return &of_this_thread;
    }
#else
    PerThread() : has_key_(pthread_key_create(&key_, destroy) == 0) {}
    PerThread(const PerThread&) = delete;
    PerThread& operator=(const PerThread&) = delete;

    T* find() {
        if (!has_key_) return nullptr;
        if (void* const there = pthread_getspecific(key_)) return static_cast<T*>(there);
        std::unique_ptr<T> made(new (std::nothrow) T);
        return made && pthread_setspecific(key_, made.get()) == 0 ? made.release() : nullptr;
    }
#endif
    T& get() {
        if (T* const there = find()) return *there;
        throw std::bad_alloc();
    }

#if !defined(_WIN32)
  private:
    static void destroy(void* object) { delete static_cast<T*>(object); }

    pthread_key_t key_{};
    bool has_key_;
#endif
};

MUSTER_API_END
}  // namespace muster
