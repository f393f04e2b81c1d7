#include <pthread.h>

#include <muster/driver/platform/fork.hpp>

namespace muster {

void AroundFork::watch() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { (void)pthread_atfork(prepare, let_go, go_on_in_child); });
}

void call_in_child(void (*function)()) { (void)pthread_atfork(nullptr, nullptr, function); }

}  // namespace muster
