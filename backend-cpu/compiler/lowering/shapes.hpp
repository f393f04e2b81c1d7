// shapes.hpp - how each value differs across the lanes of a subgroup: uniform, a base plus
// known offsets, or varying.
//
// foundation/analysis/uniformity.hpp finds what WGSL promises about a whole workgroup. This analysis asks
// less and so finds more: among the lanes that run a node together, how do its values differ, and can
// control flow separate them? A lane that has left for good (it returned, or left the loop in which a
// variable lives) doesn't count. With one lane, everything is uniform. Optimistic: variables start unknown
// and are joined until nothing changes.
//
// Units: words of a packed value. A value of more than max_words words has one shape for all of them.
// Threads: a plain value; nothing shared. Cost: a few walks over the body.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/lane_offsets.hpp>
#include <muster/backend-cpu/compiler/lowering/large_values.hpp>
#include <muster/backend-cpu/compiler/lowering/place.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

enum class ShapeKind : std::uint8_t { unknown, offsets, varying };

struct Shape {
    ShapeKind kind = ShapeKind::unknown;
    std::uint8_t aligned = 0;   // offsets, if i32 or u32: 2 to this power divides the base
    std::uint32_t offsets = 0;  // id in LaneOffsets; 0: uniform
    bool is_uniform() const { return kind != ShapeKind::varying && offsets == 0; }
    bool is_varying() const { return kind == ShapeKind::varying; }
    bool operator==(const Shape&) const = default;
};
inline constexpr Shape uniform_shape{ShapeKind::offsets, 0, 0};
inline constexpr Shape varying_shape{ShapeKind::varying, 0, 0};

class Shapes {
  public:
    static constexpr std::uint64_t max_words = most_value_words;

    Shapes(const Program& program, const LaneGeometry& geometry, LaneOffsets& offsets);

    Shape of(NodeId value, std::uint64_t word = 0) const {
        return values_[entry(first_value_, value.index, word)];
    }
    Shape of(VariableId variable, std::uint64_t word) const {
        return variables_[entry(first_variable_, variable.index, word)];
    }
    /// True if some index into a function or private variable isn't constant: the
    /// whole variable has one shape.
    bool is_indexed(VariableId variable) const { return indexed_[variable.index]; }

    /// True if only some of the lanes that see the variable later may run this store or declare.
    bool is_divergent_write(NodeId placed) const { return divergent_[placed.index]; }
    /// True if lanes that share the target of this break_, continue_, return_ or break_if may stay behind.
    bool leaves_lanes(NodeId jump) const { return divergent_[jump.index]; }
    /// True if a jump inside this if_, loop, switch_ or scope leaves lanes behind, so that
    /// the mask changes within.
    bool changes_mask(NodeId construct) const { return changes_mask_[construct.index]; }
    /// True if lanes may leave this construct for elsewhere than its end, so that
    /// none may be left at the end.
    bool may_empty(NodeId construct) const { return may_empty_[construct.index]; }
    /// True if a continue_ of this loop leaves lanes behind.
    bool has_divergent_continue(NodeId loop) const { return divergent_continue_[loop.index]; }

  private:
    struct Frame {
        NodeId construct;
        bool divergent = false;  // lanes that meet at the construct's end may part inside
        bool is_loop = false, takes_break = false;
        bool lanes_wait = false;  // some lanes may wait for the continuing block
    };

    static std::uint32_t entry(const std::vector<std::uint32_t>& first, std::uint32_t index,
                               std::uint64_t word) {
        const std::uint32_t count = first[index + 1] - first[index];
        return first[index] + (word < count ? static_cast<std::uint32_t>(word) : 0);
    }
    void lay_out();
    void find_homes();
    void walk(BlockId block);
    void walk(NodeId node);
    void control(NodeId node);
    void nested(BlockId block, Frame frame);
    void jump(NodeId node);
    void leave(NodeId node, std::size_t target);
    void write(NodeId node, const Place& place, NodeId value);
    void join_variable(VariableId variable, std::uint64_t word, Shape shape);
    bool is_divergent(std::size_t depth) const;

    void evaluate(NodeId node);
    void evaluate_free(NodeId node);
    Shape word_shape(NodeId node, std::uint64_t word);
    Shape of_all_words(NodeId value) const;
    Shape componentwise(NodeId node, std::uint64_t word);
    bool is_order_of_bases(Op op, Shape a, Shape b) const;
    Shape product(NodeId node, std::uint64_t word, Shape a, Shape b);
    Shape shifted(Shape value, std::uint32_t count);
    Shape divided(Shape value, std::uint32_t power, bool remainder);
    Shape divided_by(Shape value, std::uint32_t by, bool remainder);
    Shape load(NodeId node, std::uint64_t word) const;
    Shape dynamic_part(NodeId node) const;
    Shape composed(NodeId node, std::uint64_t word) const;
    std::optional<std::uint32_t> constant(NodeId value, std::uint64_t word) const;
    Shape varying() const { return offsets_.width() == 1 ? uniform_shape : varying_shape; }
    Shape join(Shape a, Shape b) const;
    template <class Combine>
    Shape combined(Shape a, Shape b, std::uint32_t aligned, Combine combine);
    void set(std::vector<Shape>& shapes, std::uint32_t at, Shape shape);
    void mark(std::vector<bool>& flags, NodeId node);

    const Program& program_;
    const TypeTable& types_;
    const LaneGeometry& geometry_;
    LaneOffsets& offsets_;
    std::vector<std::uint32_t> first_value_, first_variable_;
    std::vector<Shape> values_, variables_;
    std::vector<bool> indexed_;
    std::vector<NodeId> tables_;          // by variable; see find_tables()
    std::vector<std::size_t> seen_from_;  // by variable: frames around all of its uses; see find_homes()
    std::vector<bool> divergent_, changes_mask_, may_empty_, divergent_break_, divergent_continue_;
    std::vector<Frame> frames_;
    bool changed_ = false;
};

/// The lanes of a kernel's subgroups, and the shapes of its values for them.
struct LaneShapes {
    LaneShapes(const Program& program, std::uint32_t width, std::uint32_t packed_workgroups)
        : offsets(width),
          geometry(program.workgroup_size(), packed_workgroups, offsets),
          shapes(program, geometry, offsets) {}
    LaneShapes(const LaneShapes&) = delete;
    LaneShapes& operator=(const LaneShapes&) = delete;

    LaneOffsets offsets;  // whose width is the subgroups'
    LaneGeometry geometry;
    Shapes shapes;
};

}  // namespace muster::cpu
