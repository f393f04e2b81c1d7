#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/recorder.hpp>
#include <muster/foundation/interpreter/subgroup.hpp>
#include <muster/foundation/semantics/subgroups.hpp>

namespace muster::interpreter {
namespace {

using Words = std::array<std::uint32_t, 8>;  // a scalar or vector

class SubgroupRun {
  public:
    SubgroupRun(const Instruction& operation, const ActiveFrames& active, const InterpreterCode::Data& code,
                const Machine& machine)
        : i_(operation),
          active_(active),
          code_(code),
          machine_(machine),
          node_(code.program->node(NodeId{operation.f})),
          type_(code.program->types()[code.program->type(code.program->operand(NodeId{operation.f}, 0))]) {}

    void run() {
        const auto count = active_.size() - static_cast<std::size_t>(std::ranges::count(active_, nullptr));
        if (machine_.recorder != nullptr && count != active_.size())
            machine_.recorder->divergent_subgroup(&i_, first(), static_cast<std::uint32_t>(count),
                                                  static_cast<std::uint32_t>(active_.size()));
        if (node_.op == Op::subgroup_ballot) return ballot();
        if (semantics::is_combining(node_.op)) return combine_all();
        for (std::uint32_t lane = 0; lane < active_.size(); ++lane)
            if (active_[lane] != nullptr) write(lane, value(source(lane), lane));
    }

  private:
    Words value(std::uint32_t lane) const {
        Words words{};
        std::copy_n(active_[lane] + i_.b, type_.words, words.begin());
        return words;
    }
    /// The value of `source` as `reader` gets it: zero if `source` is inactive.
    Words value(std::uint32_t source, std::uint32_t reader) const {
        if (source < active_.size() && active_[source] != nullptr) return value(source);
        if (machine_.recorder != nullptr) machine_.recorder->inactive_invocation(&i_, reader, source);
        return {};
    }
    void write(std::uint32_t lane, const Words& words) const {
        std::copy_n(words.begin(), type_.words, active_[lane] + i_.a);
    }

    void ballot() const {
        Words bits{};
        for (std::uint32_t lane = 0; lane < active_.size(); ++lane)
            if (active_[lane] != nullptr && active_[lane][i_.b] != 0) bits[lane / 32] |= 1u << lane % 32;
        for (std::uint32_t* frame : active_)
            if (frame != nullptr) std::copy_n(bits.begin(), 4, frame + i_.a);
    }

    std::uint32_t source(std::uint32_t lane) const {
        const std::uint32_t second = active_[lane][i_.c];
        if (node_.op == Op::subgroup_shuffle_up) return lane - second;
        if (node_.op == Op::subgroup_shuffle_down) return lane + second;
        if (node_.op == Op::subgroup_shuffle_xor) return lane ^ second;
        return node_.op == Op::subgroup_broadcast_first ? first() : second;
    }
    std::uint32_t first() const {
        const auto found =
            std::ranges::find_if(active_, [](const std::uint32_t* frame) { return frame != nullptr; });
        return static_cast<std::uint32_t>(found - active_.begin());
    }

    // Results, by invocation: what comes before it in the subgroup (exclusive), that and its own (inclusive);
    // by block, what is in it. Nothing is an empty one.
    void combine_all() {
        const std::uint32_t size = code_.subgroup_size;
        std::vector<std::optional<Words>> inclusive(size), exclusive(size), blocks(size);
        for (std::uint32_t lane = 0; lane < active_.size(); ++lane)
            if (active_[lane] != nullptr) blocks[lane] = inclusive[lane] = value(lane);
        for (std::uint32_t half = 1; half < size; half *= 2)
            for (std::uint32_t lower = 0; lower < size; lower += 2 * half) {
                for (std::uint32_t lane = lower + half; lane < lower + 2 * half; ++lane) {
                    if (!inclusive[lane]) continue;
                    inclusive[lane] = both(blocks[lower], inclusive[lane]);
                    exclusive[lane] = both(blocks[lower], exclusive[lane]);
                }
                blocks[lower] = both(blocks[lower], blocks[lower + half]);
            }
        for (std::uint32_t lane = 0; lane < active_.size(); ++lane)
            if (active_[lane] != nullptr)
                write(lane, semantics::is_inclusive(node_.op)   ? *inclusive[lane]
                            : semantics::is_exclusive(node_.op) ? exclusive[lane].value_or(identity())
                                                                : *blocks[0]);
    }

    std::optional<Words> both(const std::optional<Words>& a, const std::optional<Words>& b) const {
        if (!a || !b) return a ? a : b;
        std::array<std::uint32_t, 24> frame{};
        std::ranges::copy(*a, frame.begin() + 8);
        std::ranges::copy(*b, frame.begin() + 16);
        const Instruction combine{.run = scalar_handler(semantics::combination(node_.op), type_.scalar,
                                                        type_.width, code_.variant.flush_subnormals),
                                  .a = 0,
                                  .b = 8,
                                  .c = 16};
        Machine machine;
        combine.run(&combine, frame.data(), machine);
        Words result;
        std::copy_n(frame.begin(), result.size(), result.begin());
        return result;
    }

    Words identity() const {
        Words words{};
        if (semantics::combination(node_.op) != Op::mul) return words;
        if (is_wide(type_.scalar)) {
            const std::uint64_t one = type_.scalar == Scalar::f64 ? std::bit_cast<std::uint64_t>(1.0) : 1;
            for (std::size_t w = 0; w < words.size(); ++w)
                words[w] = static_cast<std::uint32_t>(w % 2 == 0 ? one : one >> 32);
        } else {
            words.fill(type_.scalar == Scalar::f32   ? std::bit_cast<std::uint32_t>(1.0f)
                       : type_.scalar == Scalar::f16 ? std::uint32_t{f16(1.0f).bits()}
                                                     : 1u);
        }
        return words;
    }

    const Instruction& i_;
    const ActiveFrames& active_;
    const InterpreterCode::Data& code_;
    const Machine& machine_;
    const Node& node_;
    const Type& type_;
};

}  // namespace

void run_subgroup(const Instruction& operation, const ActiveFrames& active, const InterpreterCode::Data& code,
                  const Machine& machine) {
    SubgroupRun(operation, active, code, machine).run();
}

}  // namespace muster::interpreter
