// simulated_cluster.hpp - ranks with a memory each, that run plans with the interpreter. A rank's words that aren't current are
// poisoned, so that a plan which moves too little gives wrong results, and each access is checked against the plan.
//
//     test::SimulatedCluster cluster(weights);
//     const std::size_t x = cluster.add(words, sharded(words.size(), 1, weights));
//     cluster.dispatch(*test::SimulatedKernel::make(program), {{.buffer = x}, {.value = uniform}}, grid);
//     CHECK(cluster.read(x) == expected);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <muster/cluster/decomposition/plan_guard.hpp>
#include <muster/cluster/decomposition/planner.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/grid_walk.hpp>

#include "cluster/noted_accesses.hpp"

namespace muster::test {

using Words = std::vector<std::uint32_t>;

struct SimulatedArgument {
    std::size_t buffer = SIZE_MAX;
    Words value = {};  // of a uniform
    bool reads_whole = false;
};

/// A program to dispatch: one phase, or those between grid barriers.
struct SimulatedKernel {
    struct Phase {
        InterpreterCode code;
        Footprint footprint;
    };
    ValidProgram program;
    std::optional<SplitProgram> split;
    std::vector<Phase> phases;  // those of split->parts, or one

    explicit SimulatedKernel(ValidProgram of) : program(std::move(of)) {
        if (has_grid_barriers(program)) {
            Result<SplitProgram> made = split_at_grid_barriers(program);
            if (!made) FAIL(made.error().to_string());
            split = *std::move(made);
            for (const SplitPart& part : split->parts) add(part.program);
        } else {
            add(program);
        }
    }

  private:
    void add(const ValidProgram& one) {
        phases.push_back({*InterpreterCode::compile(one, {.findings = true}), analyse_footprint(one)});
    }
};

class SimulatedCluster {
  public:
    static constexpr std::uint32_t poison = 0xdeadbeef;

    explicit SimulatedCluster(std::vector<double> weights) : planner(std::move(weights)) {}

    /// Adds a buffer whose words are current where the distribution says so.
    std::size_t add(const Words& words, cluster::Distribution distribution) {
        buffers_.push_back({planner.intern(std::move(distribution)), std::vector<Words>(ranks(), words)});
        poison_stale(buffers_.back());
        return buffers_.size() - 1;
    }

    /// Plans and runs each phase.
    void dispatch(const SimulatedKernel& kernel, const std::vector<SimulatedArgument>& arguments,
                  Extent3 grid) {
        plans.clear();
        if (!kernel.split) return run(kernel.phases[0], arguments, grid);
        Walked host(*this, kernel, arguments, grid);
        std::vector<std::uint64_t> sizes;
        for (const SimulatedArgument& one : arguments) sizes.push_back(4 * words_of(one));
        GridWalk walk(*kernel.split, grid, sizes);
        const Result<bool> ended = walk.go_on(host, 5'000);
        if (!ended) FAIL(ended.error().to_string());
        if (!*ended) FAIL("The program doesn't end.");
        buffers_.pop_back();  // the scratch
    }

    /// The words of a buffer, each from a rank that has it current. All such ranks must agree.
    Words read(std::size_t buffer) const {
        const Buffer& of = buffers_[buffer];
        const cluster::Distribution& distribution = planner.distribution(of.distribution);
        Words words(distribution.words, poison);
        std::vector<bool> is_known(distribution.words);
        std::size_t differing = 0;
        for (std::size_t rank = 0; rank < ranks(); ++rank)
            for (const cluster::WordRange& range : distribution.current[rank].ranges())
                for (std::uint64_t i = range.begin; i < range.end; ++i) {
                    differing += is_known[i] && words[i] != of.memory[rank][i] ? 1 : 0;
                    words[i] = of.memory[rank][i];
                    is_known[i] = true;
                }
        CHECK(differing == 0);
        CHECK(std::ranges::find(is_known, false) == is_known.end());
        return words;
    }

    std::size_t ranks() const { return planner.weights().size(); }
    cluster::DistributionId distribution(std::size_t buffer) const { return buffers_[buffer].distribution; }

    cluster::Planner planner;
    std::vector<std::shared_ptr<const cluster::Plan>> plans;  // of the last dispatch's phases
    SentBytes sent, needed;  // by all dispatches; the least that their cuts need

  private:
    struct Buffer {
        cluster::DistributionId distribution;
        std::vector<Words> memory;  // by rank
    };

    // Runs the parts of a program that was split at grid barriers, with the scratch as one more buffer.
    class Walked final : public GridHost {
      public:
        Walked(SimulatedCluster& cluster, const SimulatedKernel& kernel,
               const std::vector<SimulatedArgument>& arguments, Extent3 grid)
            : cluster_(cluster), kernel_(kernel), arguments_(arguments), grid_(grid) {
            const std::uint64_t words = scratch_words(*kernel.split, grid);
            Words scratch(words, poison);
            std::fill_n(scratch.begin(), scratch_header_words, 0);
            scratch_ = cluster.add(scratch, cluster::replicated(words, cluster.ranks()));
        }
        Result<void> run(std::uint32_t part, std::span<const std::uint32_t> host_values) override {
            std::vector<SimulatedArgument> bound;
            for (const SplitBinding& one : kernel_.split->parts[part].bindings) {
                using Source = SplitBinding::Source;
                if (one.source == Source::program)
                    bound.push_back(arguments_[one.index]);
                else if (one.source == Source::scratch)
                    bound.push_back({.buffer = scratch_});
                else
                    bound.push_back({.value = Words(host_values.begin(), host_values.end())});
            }
            cluster_.run(kernel_.phases[part], bound, grid_);
            return {};
        }
        Result<bool> is_settled() override { return true; }
        Result<void> read(std::uint32_t binding, std::uint64_t offset,
                          std::span<std::uint32_t> into) override {
            const SimulatedArgument& from = arguments_[binding];
            const Words words = from.buffer == SIZE_MAX ? from.value : cluster_.read(from.buffer);
            std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(offset / 4), into.size(), into.begin());
            return {};
        }
        Result<std::optional<std::uint32_t>> fetch() override {
            const Words words = cluster_.read(scratch_);
            for (Words& memory : cluster_.buffers_[scratch_].memory) memory[0] = 0;
            return words[0] != 0 ? std::optional(words[1]) : std::nullopt;
        }

      private:
        SimulatedCluster& cluster_;
        const SimulatedKernel& kernel_;
        const std::vector<SimulatedArgument>& arguments_;
        Extent3 grid_;
        std::size_t scratch_ = 0;
    };

    std::uint64_t words_of(const SimulatedArgument& argument) const {
        return argument.buffer == SIZE_MAX ? argument.value.size()
                                           : buffers_[argument.buffer].memory[0].size();
    }

    void run(const SimulatedKernel::Phase& phase, std::vector<SimulatedArgument> arguments, Extent3 grid) {
        std::vector<cluster::PlanBinding> bindings;
        for (const SimulatedArgument& one : arguments) {
            cluster::PlanBinding made{.bytes = 4 * words_of(one), .reads_whole = one.reads_whole};
            if (one.buffer == SIZE_MAX)
                made.value = std::as_bytes(std::span(one.value));
            else
                made.distribution = buffers_[one.buffer].distribution;
            bindings.push_back(made);
        }
        const auto planned = planner.plan(phase.footprint, {.grid = grid, .bindings = bindings});
        if (!planned) FAIL(planned.error().to_string());
        const cluster::Plan& plan = *plans.emplace_back(*planned);
        const auto memory = [&](std::uint32_t binding, std::size_t rank) -> Words& {
            return buffers_[arguments[binding].buffer].memory[rank];
        };
        for (const cluster::Reduction& one : plan.reductions)
            for (std::size_t rank = 0; rank < ranks(); ++rank)
                if (rank != one.keeper)
                    for (std::uint64_t i = one.words.begin; i < one.words.end; ++i)
                        memory(one.binding, rank)[i] = cluster::identity(one.op, one.type);
        std::vector<cluster::DistributionId> held;
        for (const cluster::PlanBinding& one : bindings) held.push_back(one.distribution);
        std::vector<NotedAccesses> noted;
        for (std::uint32_t rank = 0; rank < ranks(); ++rank)
            noted.emplace_back(cluster::PlanGuard(planner, plan, held, rank, "rank " + std::to_string(rank)),
                               held.size());
        const auto launch = [&](std::size_t rank, std::uint32_t begin, std::uint32_t end) {
            if (begin == end) return;
            std::vector<BoundBytes> bound;
            for (std::uint32_t i = 0; i < arguments.size(); ++i)
                bound.push_back({std::as_writable_bytes(
                    std::span(arguments[i].buffer == SIZE_MAX ? arguments[i].value : memory(i, rank)))});
            const auto report = interpret(phase.code, bound,
                                          {.origin = plan.origin(begin),
                                           .extent = plan.extent(begin, end),
                                           .grid = plan.grid,
                                           .guard = &noted[rank]},
                                          {.threads = 1, .max_steps = 100'000'000});
            if (!report) FAIL(report.error().to_string());
            for (const Finding& each : report->findings) FAIL_CHECK(each.message);
        };
        // The interior runs first, so that it must not need what comes in, or change what goes out.
        for (std::size_t rank = 0; rank < ranks(); ++rank)
            launch(rank, plan.parts[rank].interior_begin, plan.parts[rank].interior_end);
        for (const cluster::Transfer& one : plan.transfers) {
            CHECK(planner.distribution(buffers_[arguments[one.binding].buffer].distribution)
                      .current[one.from]
                      .contains(one.words));
            for (std::uint64_t i = one.words.begin; i < one.words.end; ++i)
                memory(one.binding, one.to)[i] = memory(one.binding, one.from)[i];
        }
        for (std::size_t rank = 0; rank < ranks(); ++rank) {
            const cluster::RankPart& part = plan.parts[rank];
            noted[rank].guard.receive();
            launch(rank, part.begin, part.interior_begin);
            launch(rank, part.interior_end, part.end);
        }
        for (const cluster::Reduction& one : plan.reductions)
            for (std::uint64_t i = one.words.begin; i < one.words.end; ++i) {
                std::uint32_t all = cluster::identity(one.op, one.type);
                for (std::size_t rank = 0; rank < ranks(); ++rank)
                    all = cluster::combine(one.op, one.type, all, memory(one.binding, rank)[i]);
                for (std::size_t rank = 0; rank < ranks(); ++rank) memory(one.binding, rank)[i] = all;
            }
        sent += {plan.bytes_transferred, plan.bytes_reduced};
        needed += needed_bytes(planner, plan, held, noted);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (arguments[i].buffer == SIZE_MAX) continue;
            buffers_[arguments[i].buffer].distribution = plan.after[i];
            poison_stale(buffers_[arguments[i].buffer]);
        }
    }

    void poison_stale(Buffer& buffer) {
        const cluster::Distribution& distribution = planner.distribution(buffer.distribution);
        for (std::size_t rank = 0; rank < ranks(); ++rank) {
            const cluster::WordSet stale =
                cluster::WordSet({0, distribution.words}).without(distribution.current[rank]);
            for (const cluster::WordRange& range : stale.ranges())
                std::fill(buffer.memory[rank].begin() + static_cast<std::ptrdiff_t>(range.begin),
                          buffer.memory[rank].begin() + static_cast<std::ptrdiff_t>(range.end), poison);
        }
    }

    std::vector<Buffer> buffers_;
};

}  // namespace muster::test
