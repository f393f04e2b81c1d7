// Sessions that open while others dispatch. Without the validation layer: for each call it finds the device in
// a map that another thread's vkCreateDevice changes unlocked (Vulkan-ValidationLayers, issue 4391; 1.3.239
// crashes here).
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "../kit.hpp"

using namespace muster;
using namespace muster::vulkan;

TEST_CASE("a hundred sessions at once, from several threads") {
    std::vector<std::jthread> threads;
    std::atomic<int> right{0};
    std::mutex mutex;
    std::vector<Session> open;  // all of them stay open
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 25; ++i) {
                Session session = session_of({});
                auto kernel = session.prepare(test::saxpy());
                Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
                auto ticket = session.dispatch(*kernel, {{"a", 3.0f}, {"x", x}, {"y", y}}, Workgroups{1});
                const auto result = y.read_all<float>();
                if (ticket && result && *result == std::vector<float>(64, 3.0f)) ++right;
                const std::lock_guard lock(mutex);
                open.push_back(session);
            }
        });
    threads.clear();
    CHECK(right == 100);
}
