#include <atomic>
#include <chrono>
#include <climits>

#include <doctest/doctest.h>

#include <muster/driver/contract/event_submission.hpp>

using namespace muster;
using namespace std::chrono_literals;

namespace {

/// Work that has ended when a test says so, or at a number of waiting questions.
class TestSubmission final : public EventSubmission {
  public:
    std::atomic<bool> ended{false};
    int ends_when_waited = INT_MAX;
    mutable std::atomic<int> waited{0}, looked{0};

  private:
    void ask(Asker asker) const override {
        ++(asker == Asker::waits ? waited : looked);
        if ((ended || waited >= ends_when_waited) && outcome.claim()) outcome.settle(Timing{.device_ns = 7});
    }
};

}  // namespace

TEST_CASE("a wait that is too short says so, and may be repeated") {
    TestSubmission submission;
    CHECK_FALSE(submission.done());
    const auto early = submission.wait(1ms);
    REQUIRE_FALSE(early);
    CHECK(early.error().code == ErrorCode::timed_out);
    CHECK(submission.waited > 0);
    CHECK(submission.looked == 1);
    submission.ends_when_waited = submission.waited + 3;
    const auto end = submission.wait(60s);
    REQUIRE(end);
    CHECK(end->device_ns == 7);
}

TEST_CASE("once the work has ended, the driver isn't asked again") {
    TestSubmission submission;
    submission.ended = true;
    CHECK(submission.done());
    CHECK(submission.looked == 1);
    CHECK(submission.done());
    REQUIRE(submission.wait(0s));
    CHECK(submission.looked == 1);
    CHECK(submission.waited == 0);
}
