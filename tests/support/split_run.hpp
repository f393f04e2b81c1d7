// split_run.hpp - runs a split program with the interpreter, part by part, like a device without grid barriers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/grid_walk.hpp>

namespace muster::test {

/// Binds `memory`, one vector per binding of the original program; poisons the scratch, so that a part that
/// restores a value nobody saved gives wrong results.
class InterpretedParts : public GridHost {
  public:
    using Words = std::vector<std::uint32_t>;

    InterpretedParts(const SplitProgram& split, std::vector<Words>& memory, Extent3 workgroups,
                     std::uint64_t seed = 0, bool may_wait = true)
        : split_(split),
          memory_(memory),
          workgroups_(workgroups),
          seed_(seed),
          may_wait_(may_wait),
          scratch_(scratch_words(split, workgroups), 0xdeadbeef) {
        std::fill_n(scratch_.begin(), scratch_header_words, 0);
        for (const SplitPart& part : split.parts) code_.push_back(*InterpreterCode::compile(part.program));
    }

    Result<void> run(std::uint32_t part, std::span<const std::uint32_t> host_values) override {
        ran.push_back(part);
        Words values(host_values.begin(), host_values.end());
        std::vector<BoundBytes> bound;
        for (const SplitBinding& one : split_.parts[part].bindings) {
            using Source = SplitBinding::Source;
            Words& words = one.source == Source::program   ? memory_[one.index]
                           : one.source == Source::scratch ? scratch_
                                                           : values;
            bound.push_back({std::as_writable_bytes(std::span(words))});
        }
        return launch(part, bound,
                      {.extent = part_grid(split_.parts[part], workgroups_), .grid = workgroups_});
    }
    Result<bool> is_settled() override { return may_wait_; }
    Result<void> read(std::uint32_t binding, std::uint64_t offset, std::span<std::uint32_t> into) override {
        ++reads;
        std::copy_n(memory_[binding].begin() + static_cast<std::ptrdiff_t>(offset / 4), into.size(),
                    into.begin());
        return {};
    }
    Result<std::optional<std::uint32_t>> fetch() override {
        ++fetches;
        const bool is_there = header(ScratchWord::fetched) != 0;
        header(ScratchWord::fetched) = 0;
        return is_there ? std::optional(header(ScratchWord::value)) : std::nullopt;
    }

    std::vector<std::uint32_t> ran;  // the parts, in order
    std::size_t reads = 0, fetches = 0;

  protected:
    virtual Result<void> launch(std::uint32_t part, std::span<const BoundBytes> bound,
                                const LaunchGrid& grid) {
        auto report = interpret(code_[part], bound, grid, {.seed = seed_ + ran.size()});
        if (!report) return std::unexpected(report.error());
        return {};
    }

  private:
    std::uint32_t& header(ScratchWord word) { return scratch_[static_cast<std::size_t>(word)]; }

    const SplitProgram& split_;
    std::vector<Words>& memory_;
    Extent3 workgroups_;
    std::uint64_t seed_;
    bool may_wait_;
    Words scratch_;
    std::vector<InterpreterCode> code_;
};

inline std::vector<std::uint64_t> sizes_of(const std::vector<std::vector<std::uint32_t>>& memory) {
    std::vector<std::uint64_t> sizes;
    for (const auto& words : memory) sizes.push_back(words.size() * 4);
    return sizes;
}

}  // namespace muster::test
