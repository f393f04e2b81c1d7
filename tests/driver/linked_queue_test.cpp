#include <memory>

#include <doctest/doctest.h>

#include <muster/driver/support/linked_queue.hpp>

using namespace muster;

namespace {

struct Job {
    int number = 0;
    std::shared_ptr<Job> next = nullptr;
};
struct Slot {
    int number = 0;
    Slot* next = nullptr;
};

}  // namespace

TEST_CASE("items leave in the order in which they came, and own nothing afterwards") {
    LinkedQueue<std::shared_ptr<Job>> queue;
    CHECK(queue.pop() == nullptr);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 3; ++i) queue.push(std::make_shared<Job>(i));
        CHECK(queue.last()->number == 2);
        for (int i = 0; i < 3; ++i) {
            CHECK(queue.first()->number == i);
            const auto job = queue.pop();
            CHECK(job->number == i);
            CHECK(job->next == nullptr);
            CHECK(job.use_count() == 1);
        }
        CHECK(queue.first() == nullptr);
        CHECK(queue.last() == nullptr);
    }
}

TEST_CASE("an item can be taken from any place, and added again") {
    Slot slots[3] = {{0}, {1}, {2}};
    for (int taken = 0; taken < 3; ++taken) {
        CAPTURE(taken);
        LinkedQueue<Slot*> queue;
        for (Slot& slot : slots) queue.push(&slot);
        CHECK(queue.take([](const Slot& slot) { return slot.number == 7; }) == nullptr);
        Slot* const one = queue.take([&](const Slot& slot) { return slot.number == taken; });
        CHECK(one == &slots[taken]);
        queue.push(one);
        CHECK(queue.last() == one);
        int count = 0, last = -1;
        while (const Slot* const slot = queue.pop()) {
            CHECK((slot == one || slot->number > last));
            last = slot->number;
            ++count;
        }
        CHECK(count == 3);
        CHECK(last == taken);
    }
}

TEST_CASE("a long queue is dropped without recursion") {
    LinkedQueue<std::shared_ptr<Job>> queue;
    for (int i = 0; i < 1'000'000; ++i) queue.push(std::make_shared<Job>(i));
    CHECK(queue.last()->number == 999'999);
}
