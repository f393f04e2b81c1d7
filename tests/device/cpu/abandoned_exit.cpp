// abandoned_exit - a program that abandons a device whose kernel never ends, and then ends itself: exit status
// 0, at once.
#include "device/cpu/kernels.hpp"

int main() {
    using namespace muster::cpu::test;
    if (!kernels_here) return 0;
    // Like a quarantined device in the driver: never freed, and reachable until the end.
    static auto* const bench = new Bench(endless_kernel(), 2, 2);
    const auto submitted = bench->submit({1000, 1, 1});
    bench->wait_for_word(1);
    if (wait(submitted, std::chrono::milliseconds(1)).has_value()) return 1;
    bench->device->abandon();
    return 0;
}
