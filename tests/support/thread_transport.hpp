// thread_transport.hpp - the processes of a cluster as threads of a test.
//
//     in_processes(4, [](std::shared_ptr<cluster::Transport> transport) { ... });    // once for each, at the same time
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <muster/cluster/transport/transport.hpp>

namespace muster::test {

/// What the threads share.
struct ThreadPost {
    explicit ThreadPost(std::uint32_t processes) : size(processes), gathered(processes) {}
    const std::uint32_t size;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::vector<std::byte>>>
        letters;                                   // from, to
    std::vector<std::vector<std::byte>> gathered;  // of the present exchange
    std::uint32_t came = 0, left = 0;
    std::uint64_t bytes_sent = 0;
};

class ThreadTransport final : public cluster::Transport {
  public:
    ThreadTransport(std::shared_ptr<ThreadPost> post, std::uint32_t rank)
        : post_(std::move(post)), rank_(rank) {}
    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return post_->size; }

    Result<void> send(std::uint32_t to, std::span<const std::byte> bytes) override {
        const std::lock_guard lock(post_->mutex);
        post_->letters[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
        post_->bytes_sent += bytes.size();
        post_->changed.notify_all();
        return {};
    }
    Result<void> receive(std::uint32_t from, std::span<std::byte> bytes) override {
        awaited_.push_back({from, bytes});
        return {};
    }
    Result<void> wait() override {
        std::unique_lock lock(post_->mutex);
        for (const auto& [from, into] : std::exchange(awaited_, {})) {
            auto& letters = post_->letters[{from, rank_}];
            post_->changed.wait(lock, [&] { return !letters.empty(); });
            if (letters.front().size() != into.size())
                return fail(ErrorCode::internal, "A message has another size than its receiver expects.");
            std::ranges::copy(letters.front(), into.begin());
            letters.pop_front();
        }
        return {};
    }
    Result<bool> test() override { return awaited_.empty(); }
    Result<void> all_reduce(std::span<std::uint32_t> words, cluster::ReductionOp op, Scalar type) override {
        std::vector<std::uint32_t> all(words.size() * size());
        if (auto got = all_gather(std::as_bytes(words), std::as_writable_bytes(std::span(all))); !got)
            return got;
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = all[i];
            for (std::uint32_t rank = 1; rank < size(); ++rank)
                words[i] = cluster::combine(op, type, words[i], all[rank * words.size() + i]);
        }
        return {};
    }
    Result<void> all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
        ThreadPost& post = *post_;
        std::unique_lock lock(post.mutex);
        post.changed.wait(lock, [&] { return post.left == 0; });
        post.gathered[rank_].assign(own.begin(), own.end());
        ++post.came;
        post.changed.notify_all();
        post.changed.wait(lock, [&] { return post.came == post.size; });
        auto place = all.begin();
        for (const auto& each : post.gathered) place = std::ranges::copy(each, place).out;
        if (++post.left == post.size) {
            post.came = post.left = 0;
            post.changed.notify_all();
        }
        return {};
    }

  private:
    struct Awaited {
        std::uint32_t from;
        std::span<std::byte> into;
    };
    std::shared_ptr<ThreadPost> post_;
    std::uint32_t rank_;
    std::vector<Awaited> awaited_;
};

/// Calls `process` once for each rank, each in a thread of its own. Returns the bytes of all messages.
inline std::uint64_t in_processes(std::uint32_t count,
                                  const std::function<void(std::shared_ptr<cluster::Transport>)>& process) {
    const auto post = std::make_shared<ThreadPost>(count);
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < count; ++rank)
        threads.emplace_back([&, rank] { process(std::make_shared<ThreadTransport>(post, rank)); });
    threads.clear();
    return post->bytes_sent;
}

}  // namespace muster::test
