// The grid of run.hpp. Built without sanitizers and without our warnings, which switched stacks would confuse:
// threads of a kernel with barriers are contexts of the C library, each on a stack of its own.
#include "support/cuda_shim/run.hpp"

#include <algorithm>
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

/// The random generator splitmix64.
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

/// A stack with a guard page at its end. The system provides memory only for the part that is used.
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

enum class State : std::uint8_t { ready, asleep, at_barrier, in_warp, done };

struct Fiber {
    Stack stack;
    ucontext_t context{};
    State state = State::ready;
    unsigned waits_at = 0;   // the number of the barrier, or of the warp's function
    unsigned waits_for = 0;  // the mask of threads of the warp; 0: those that come
    unsigned value = 0;      // for the others of the warp
    Warp met{};
};

/// A block that has started.
struct Block {
    uint3 at;
    std::vector<std::unique_ptr<Fiber>> fibers = {};
    std::vector<unsigned char> shared = {};  // its shared memory while another block runs
    bool is_done() const {
        return std::all_of(fibers.begin(), fibers.end(), [](auto& one) { return one->state == State::done; });
    }
};

uint3 thread_, block_, block_size_, grid_size_;

/// The running launch, and its current thread.
struct Grid {
    const Launch& launch;
    const Thread& thread;
    Random random;
    std::vector<std::uint32_t> blocks = {};  // in the order in which they run
    std::vector<std::uint32_t> order = {};   // the order of a block's threads
    std::vector<std::unique_ptr<Block>> begun = {};
    std::vector<std::unique_ptr<Fiber>> unused = {};
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
    grid_->running->state = State::done;
}

void resume(Fiber& fiber, std::uint32_t index) {
    thread_ = place(index, block_size_);
    grid_->running = &fiber;
    fiber.state = State::ready;
    swapcontext(&grid_->scheduler, &fiber.context);
}

void pause(State why) {
    Fiber& fiber = *grid_->running;
    fiber.state = why;
    swapcontext(&fiber.context, &grid_->scheduler);
}

std::unique_ptr<Fiber> start() {
    Grid& grid = *grid_;
    if (grid.unused.empty()) grid.unused.push_back(std::make_unique<Fiber>());
    std::unique_ptr<Fiber> fiber = std::move(grid.unused.back());
    grid.unused.pop_back();
    fiber->state = State::ready;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.begin();
    fiber->context.uc_stack.ss_size = Stack::bytes - Stack::guard;
    fiber->context.uc_link = &grid.scheduler;
    makecontext(&fiber->context, fiber_body, 0);
    return fiber;
}

void start_block(std::uint32_t index) {
    auto block = std::make_unique<Block>(Block{place(index, grid_size_)});
    block->shared.assign(grid_->thread.shared_bytes, 0xa5);
    for (std::size_t k = 0; k < grid_->order.size(); ++k) block->fibers.push_back(start());
    grid_->begun.push_back(std::move(block));
}

/// The threads of a block from `first` on that are one warp.
class WarpOfBlock {
  public:
    WarpOfBlock(Block& block, std::size_t first)
        : block_(block), first_(first), count_(std::min<std::size_t>(32, block.fibers.size() - first)) {}

    /// Lets those go on that have all come whom they wait for; or, if there are none, those that wait for nobody in
    /// particular at the first place. Returns true if any go on.
    bool go_on() {
        for (std::size_t lane = 0; lane < count_; ++lane) {
            const Fiber& one = fiber(lane);
            if (one.state == State::in_warp && one.waits_for != 0 && waiting_like(one) == one.waits_for)
                return release(one.waits_for);
        }
        const Fiber* first = nullptr;
        for (std::size_t lane = 0; lane < count_; ++lane) {
            const Fiber& one = fiber(lane);
            if (one.state != State::in_warp || one.waits_for != 0) continue;
            if (first == nullptr || one.waits_at < first->waits_at) first = &one;
        }
        return first != nullptr && release(waiting_like(*first));
    }

  private:
    Fiber& fiber(std::size_t lane) { return *block_.fibers[first_ + lane]; }
    unsigned waiting_like(const Fiber& one) {
        unsigned mask = 0;
        for (std::size_t lane = 0; lane < count_; ++lane) {
            const Fiber& other = fiber(lane);
            if (other.state == State::in_warp && other.waits_at == one.waits_at &&
                other.waits_for == one.waits_for)
                mask |= 1u << lane;
        }
        return mask;
    }
    bool release(unsigned mask) {
        Warp met{mask, {}};
        std::fill(std::begin(met.values), std::end(met.values), 0xa5a5a5a5u);
        for (std::size_t lane = 0; lane < count_; ++lane)
            if ((mask >> lane & 1) != 0) met.values[lane] = fiber(lane).value;
        for (std::size_t lane = 0; lane < count_; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            fiber(lane).met = met;
            fiber(lane).state = State::ready;
        }
        return true;
    }

    Block& block_;
    std::size_t first_, count_;
};

bool meet_in_warps(Block& block) {
    bool any = false;
    for (std::size_t first = 0; first < block.fibers.size(); first += 32)
        any = WarpOfBlock(block, first).go_on() || any;
    return any;
}

/// Lets the threads at a barrier go on. Returns the fault if no thread of the block can go on, or "".
const char* meet(Block& block) {
    const Fiber& first = *block.fibers[0];
    for (const auto& fiber : block.fibers) {
        if (fiber->state == State::in_warp) return "A thread waits for others of its warp that don't come.";
        if (fiber->state != first.state) return "Some threads wait at a barrier and others have ended.";
        if (first.state == State::at_barrier && fiber->waits_at != first.waits_at)
            return "Threads of one block wait at unlike barriers.";
    }
    if (first.state == State::at_barrier)
        for (const auto& fiber : block.fibers) fiber->state = State::ready;
    return "";
}

/// Runs all threads from barrier to barrier, until the block ends or some of them sleep. `moves` becomes true if
/// a thread did more than wake up and sleep again.
const char* run_in_steps(Block& block, bool& moves) {
    Grid& grid = *grid_;
    block_ = block.at;
    if (!block.shared.empty()) std::memcpy(grid.thread.shared, block.shared.data(), block.shared.size());
    bool sleeps = false;
    const char* wrong = "";
    while (!sleeps && !block.is_done() && *wrong == '\0') {
        grid.random.shuffle(grid.order);
        for (const std::uint32_t index : grid.order) {
            Fiber& fiber = *block.fibers[index];
            const bool slept = fiber.state == State::asleep;
            if (fiber.state != State::ready && !slept) continue;
            resume(fiber, index);
            sleeps = sleeps || fiber.state == State::asleep;
            moves = moves || !slept || fiber.state != State::asleep;
        }
        if (meet_in_warps(block))
            moves = true;
        else if (!sleeps)
            wrong = meet(block);
    }
    if (!block.shared.empty()) std::memcpy(block.shared.data(), grid.thread.shared, block.shared.size());
    return wrong;
}

/// Runs the started blocks in turn. If all threads only sleep, they wait for each other for ever: an error.
const char* run_together() {
    Grid& grid = *grid_;
    std::vector<std::unique_ptr<Block>>& blocks = grid.begun;
    bool moves = true;
    while (!blocks.empty()) {
        if (!moves) return "Blocks wait for each other for ever.";
        moves = false;
        for (auto left = static_cast<std::uint32_t>(blocks.size()); left > 0; --left) {
            std::swap(blocks[grid.random.below(left)], blocks[left - 1]);  // a block that hasn't had its turn
            Block& block = *blocks[left - 1];
            if (const char* wrong = run_in_steps(block, moves); *wrong != '\0') return wrong;
            if (!block.is_done()) continue;
            for (auto& fiber : block.fibers) grid.unused.push_back(std::move(fiber));
            blocks.erase(blocks.begin() + left - 1);
        }
    }
    return "";
}

/// Runs a block's threads without stacks of their own.
void run_without_barriers(std::uint32_t index) {
    Grid& grid = *grid_;
    block_ = place(index, grid_size_);
    if (grid.thread.shared_bytes != 0) std::memset(grid.thread.shared, 0xa5, grid.thread.shared_bytes);
    grid.random.shuffle(grid.order);
    for (const std::uint32_t thread : grid.order) {
        thread_ = place(thread, block_size_);
        grid.thread.body(grid.launch.parameters);
    }
}

/// Runs all blocks. A thread's signal leaves it at once: it owns nothing.
const char* run_blocks() {
    for (const std::uint32_t index : grid_->blocks) {
        if (!grid_->launch.has_barriers) {
            run_without_barriers(index);
            continue;
        }
        start_block(index);
        if (grid_->launch.is_cooperative) continue;
        if (const char* wrong = run_together(); *wrong != '\0') return wrong;
    }
    return run_together();
}

/// The meaning of a thread's signal, and the jump target that ends the grid.
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

/// During its lifetime, a signal of a thread ends the grid instead of the process. The handler has a stack of
/// its own: the thread's may be the one that overflowed.
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
    grid_->running->waits_at = which;
    pause(State::at_barrier);
}

const Warp& meet_warp(unsigned which, unsigned mask, unsigned value) {
    Fiber& fiber = *grid_->running;
    fiber.waits_at = which;
    fiber.waits_for = mask;
    fiber.value = value;
    pause(State::in_warp);
    return fiber.met;
}

void sleep() { pause(State::asleep); }

}  // namespace muster_shim

const uint3& threadIdx = muster_shim::thread_;
const uint3& blockIdx = muster_shim::block_;
const uint3& blockDim = muster_shim::block_size_;
const uint3& gridDim = muster_shim::grid_size_;
