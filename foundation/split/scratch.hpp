// scratch.hpp - emits code that moves values and variables between a part and the scratch (grid_split.hpp).
// Internal to the splitter.
//
// A word is a scalar's bits; one of 64 bits has two. Larger types take their scalars in order. Threads: one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::split {

/// The scratch's type, whose size scratch_words() computes.
TypeId scratch_type(TypeTable& types);

/// from_word converts a word to a scalar, to_word a scalar to a word. Not for scalars of 64 bits.
NodeId from_word(IrBuilder& ir, TypeId type, NodeId word);
NodeId to_word(IrBuilder& ir, NodeId scalar);

class Scratch {
  public:
    struct Layout {
        std::uint64_t workgroup_size = 1, invocation_words = 0, workgroup_words = 0;
    };
    Scratch(IrBuilder& ir, VariableId binding, const Layout& layout)
        : ir_(ir), binding_(binding), layout_(layout) {}
    /// Computes the position of this invocation's words; unused computations are dropped. Call it
    /// first, in the outermost block.
    void begin();

    void save_value(NodeId value, std::uint64_t slot);
    NodeId restore_value(TypeId type, std::uint64_t slot);
    /// Move a whole variable of the invocation.
    void save(VariableId variable, std::uint64_t slot);
    void restore(VariableId variable, std::uint64_t slot);
    /// Move a workgroup variable, by all invocations of the workgroup together. They must meet at a barrier
    /// before saving and after restoring.
    void save_workgroup(VariableId variable, std::uint64_t slot);
    void restore_workgroup(VariableId variable, std::uint64_t slot);

    NodeId header(ScratchWord word);  // a place: atomic<u32>

  private:
    enum class Way : std::uint8_t { save, restore };
    /// The place of a word by its number.
    using Words = std::function<NodeId(NodeId word)>;

    NodeId word_at(NodeId index);
    Words of_invocation();
    Words of_workgroup();
    void move(Way way, NodeId place, NodeId word, const Words& words);
    void move_plain(Way way, NodeId place, NodeId word, const Words& words);
    void move_together(Way way, NodeId place, NodeId word, const Words& words);
    void loop(NodeId first, std::uint32_t count, std::uint32_t step, const std::function<void(NodeId)>& body);
    NodeId plus(NodeId word, std::uint64_t more);
    NodeId element_word(NodeId word, NodeId index, std::uint64_t words);
    NodeId number(std::uint64_t x) { return ir_.constant(static_cast<std::uint32_t>(x)); }
    void words_of(NodeId value, std::vector<NodeId>& all);
    NodeId value_of(TypeId type, std::uint64_t& slot, const Words& words);

    IrBuilder& ir_;
    VariableId binding_;
    Layout layout_;
    NodeId invocation_, invocations_;  // this invocation's number; the number of invocations in the grid
    NodeId workgroup_base_;            // offset of this workgroup's words
};

}  // namespace muster::split
