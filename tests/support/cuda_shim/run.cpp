// The grid of run.hpp. Built without sanitizers and warnings of ours in the way of stacks that change: threads of a kernel with
// barriers are contexts of the C library, each on a stack of its own.
#include "support/cuda_shim/run.hpp"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

namespace muster_shim {

namespace {

/// splitmix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>((next() >> 32) * end >> 32); }
    void shuffle(std::vector<std::uint32_t>& all) {
        for (auto left = static_cast<std::uint32_t>(all.size()); left > 1; --left)
            std::swap(all[left - 1], all[below(left)]);
    }

  private:
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

/// With a page at its end that can't be touched. The system gives memory only for what is used.
class Stack {
  public:
    static constexpr std::size_t bytes = std::size_t{1} << 20, guard = 4096;
    Stack() {
        void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (got == MAP_FAILED || mprotect(got, guard, PROT_NONE) != 0) throw std::bad_alloc();
        memory_ = static_cast<std::byte*>(got);
    }
    ~Stack() { munmap(memory_, bytes); }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    std::byte* begin() const { return memory_ + guard; }

  private:
    std::byte* memory_;
};

struct Fiber {
    Stack stack;
    ucontext_t context{};
    bool is_done = false;
    unsigned waits_at = 0;  // which barrier
};

uint3 thread_, block_, block_size_, grid_size_;

/// The launch that runs, and of a kernel with barriers the threads of the block that does.
struct Grid {
    const Launch& launch;
    const Thread& thread;
    Random random;
    std::vector<std::uint32_t> blocks = {};  // in the order in which they run
    std::vector<std::uint32_t> order = {};   // of a block's threads
    std::vector<std::unique_ptr<Fiber>> fibers = {};
    Fiber* running = nullptr;
    ucontext_t scheduler{};
};
Grid* grid_ = nullptr;

uint3 place(std::uint32_t index, const uint3& size) {
    return {index % size.x, index / size.x % size.y, index / size.x / size.y};
}

std::vector<std::uint32_t> numbers(const uint3& size) {
    std::vector<std::uint32_t> all(std::size_t{size.x} * size.y * size.z);
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint32_t>(k);
    return all;
}

void fiber_body() {
    grid_->thread.body(grid_->launch.parameters);
    grid_->running->is_done = true;
}

void resume(std::uint32_t index) {
    thread_ = place(index, block_size_);
    grid_->running = grid_->fibers[index].get();
    swapcontext(&grid_->scheduler, &grid_->running->context);
}

void start(Fiber& fiber) {
    fiber.is_done = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.begin();
    fiber.context.uc_stack.ss_size = Stack::bytes - Stack::guard;
    fiber.context.uc_link = &grid_->scheduler;
    makecontext(&fiber.context, fiber_body, 0);
}

/// All threads from barrier to barrier.
const char* run_in_steps() {
    Grid& grid = *grid_;
    while (grid.fibers.size() < grid.order.size()) grid.fibers.push_back(std::make_unique<Fiber>());
    for (const auto& fiber : grid.fibers) start(*fiber);
    const Fiber& first = *grid.fibers[0];
    do {
        grid.random.shuffle(grid.order);
        for (const std::uint32_t index : grid.order) resume(index);
        for (const auto& fiber : grid.fibers) {
            if (fiber->is_done != first.is_done)
                return "Some threads wait at a barrier and others have ended.";
            if (!first.is_done && fiber->waits_at != first.waits_at)
                return "Threads of one block wait at unlike barriers.";
        }
    } while (!first.is_done);
    return "";
}

const char* run_block() {
    Grid& grid = *grid_;
    if (grid.thread.shared_bytes != 0) std::memset(grid.thread.shared, 0xa5, grid.thread.shared_bytes);
    if (grid.launch.has_barriers) return run_in_steps();
    grid.random.shuffle(grid.order);
    for (const std::uint32_t index : grid.order) {
        thread_ = place(index, block_size_);
        grid.thread.body(grid.launch.parameters);
    }
    return "";
}

/// A thread's signal leaves it at once: it holds nothing.
const char* run_blocks() {
    Grid& grid = *grid_;
    for (const std::uint32_t index : grid.blocks) {
        block_ = place(index, grid_size_);
        if (const char* wrong = run_block(); *wrong != '\0') return wrong;
    }
    return "";
}

/// What a thread's signal means, and where the grid ends because of it.
struct Fault {
    int signal;
    const char* means;
};
constexpr Fault faults[] = {{SIGSEGV, "A thread touched memory that isn't its own."},
                            {SIGBUS, "A thread touched memory that isn't its own."},
                            {SIGILL, "A thread did what C++ leaves undefined."},
                            {SIGTRAP, "A thread did what C++ leaves undefined."},
                            {SIGFPE, "A thread divided by zero, or beyond what a type has."}};
sigjmp_buf end_;

void end_grid(int signal) { siglongjmp(end_, signal); }

/// While it lives, a signal of a thread's ends the grid instead of the process. Its handler has a stack of its own: the
/// thread's may be what is used up.
class Faults {
  public:
    Faults() {
        const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
        sigaltstack(&stack, &stack_before_);
        struct sigaction action {};
        action.sa_handler = end_grid;
        action.sa_flags = SA_ONSTACK;
        for (std::size_t k = 0; k < std::size(faults); ++k) sigaction(faults[k].signal, &action, &before_[k]);
    }
    ~Faults() {
        for (std::size_t k = 0; k < std::size(faults); ++k) sigaction(faults[k].signal, &before_[k], nullptr);
        sigaltstack(&stack_before_, nullptr);
    }
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

  private:
    std::array<char, 65536> stack_;
    stack_t stack_before_{};
    struct sigaction before_[std::size(faults)];
};

}  // namespace

const char* run_grid(const Launch& launch, const Thread& thread) {
    const Faults while_it_runs;
    Grid grid{launch, thread, Random(launch.seed)};
    grid.blocks = numbers(launch.grid);
    grid.random.shuffle(grid.blocks);
    grid.order = numbers(launch.block);
    block_size_ = launch.block;
    grid_size_ = launch.grid;
    grid_ = &grid;
    const int signal = sigsetjmp(end_, 1);
    if (signal == 0) return run_blocks();
    for (const Fault& fault : faults)
        if (fault.signal == signal) return fault.means;
    return "A thread was ended.";
}

void barrier(unsigned which) {
    Fiber& fiber = *grid_->running;
    fiber.waits_at = which;
    swapcontext(&fiber.context, &grid_->scheduler);
}

}  // namespace muster_shim

const uint3& threadIdx = muster_shim::thread_;
const uint3& blockIdx = muster_shim::block_;
const uint3& blockDim = muster_shim::block_size_;
const uint3& gridDim = muster_shim::grid_size_;
