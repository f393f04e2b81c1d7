// Loads and stores through views, word by word.

#include <array>
#include <vector>

#include <muster/foundation/wgsl/lower/lowering.hpp>

namespace muster::wgsl {

class Lowering::ViewAccess {
  public:
    explicit ViewAccess(Lowering& lowering) : lowering_(lowering), ir_(lowering.ir_) {}

    NodeId load(const View& from) {
        const TypeRef type = from.type;
        if (type->is_scalar() || type->is_vector()) return load_numbers(from);
        if (type->words > most_unrolled) {
            const NodeId copy = lowering_.temporary("seen", lowering_.type(type));
            load_large(from, copy);
            return ir_.load(copy);
        }
        std::vector<NodeId> parts;
        for (std::uint32_t n = 0; n < count(type); ++n) parts.push_back(load(part(from, n)));
        return ir_.compose(lowering_.type(type), parts);
    }

    /// Stores into a view that is valid.
    void store(const View& to, NodeId value) {
        const TypeRef type = to.type;
        if (type->is_scalar() || type->is_vector()) return store_numbers(to, value);
        if (type->words > most_unrolled)
            return store_large(to, lowering_.temporary("seen", lowering_.type(type), value));
        for (std::uint32_t n = 0; n < count(type); ++n) store(part(to, n), ir_.extract(value, n));
    }

    /// The place of the view's first word, or one that no buffer has.
    NodeId first_word(const View& view) {
        NodeId index = first_index(view);
        if (view.is_valid) index = ir_.select(ir_.constant(nowhere), index, view.is_valid);
        return ir_.ref_index(view.words, index);
    }

  private:
    /// Most scalars that are loaded or stored without a loop.
    static constexpr std::uint64_t most_unrolled = 64;
    /// The index of a word that no buffer has.
    static constexpr std::uint32_t nowhere = 0x80000000u;

    static std::uint32_t count(TypeRef type) {
        return type->kind == Kind::structure ? static_cast<std::uint32_t>(type->members.size()) : type->count;
    }

    static View part(const View& view, std::uint32_t which) {
        if (view.type->kind == Kind::structure) return member(view, which);
        View part = view;
        part.type = view.type->element;
        part.fixed += which * view.type->stride;
        return part;
    }

    // Large values: element by element, by way of a variable.

    void load_large(const View& from, NodeId to) {
        if (from.type->words <= most_unrolled) {
            ir_.store(to, load(from));
        } else if (from.type->kind == Kind::structure) {
            for (std::uint32_t n = 0; n < count(from.type); ++n)
                load_large(member(from, n), ir_.ref_member(to, n));
        } else {
            for_each_element(from.type->count, [&](NodeId index) {
                load_large(lowering_.element_at(from, index), ir_.ref_index(to, index));
            });
        }
    }

    void store_large(const View& to, NodeId from) {
        if (to.type->words <= most_unrolled) {
            store(to, ir_.load(from));
        } else if (to.type->kind == Kind::structure) {
            for (std::uint32_t n = 0; n < count(to.type); ++n)
                store_large(member(to, n), ir_.ref_member(from, n));
        } else {
            for_each_element(to.type->count, [&](NodeId index) {
                store_large(lowering_.element_at(to, index), ir_.ref_index(from, index));
            });
        }
    }

    void for_each_element(std::uint32_t count, const auto& body) {
        const NodeId next = lowering_.temporary("element", u32_type, ir_.constant(0u));
        ir_.begin_loop();
        const NodeId index = ir_.load(next);
        ir_.begin_if(ir_.binary(Op::ge, index, ir_.constant(count)));
        ir_.break_();
        ir_.end_if();
        body(index);
        ir_.begin_continuing();
        ir_.store(next, ir_.binary(Op::add, ir_.load(next), ir_.constant(1u)));
        ir_.end_loop();
    }

    // Scalars and vectors: all but a single f16 begin at a word.

    NodeId load_numbers(const View& from) {
        const TypeId type = lowering_.type(from.type);
        const NodeId first = first_index(from);
        if (type == f16_type) {
            const NodeId pair = ir_.binary(Op::shift_right, load_word(from, first), shift_of_half(from));
            return ir_.extract(ir_.bitcast(Scalar::f16, pair), 0);
        }
        const std::uint32_t count = word_count(from.type);
        std::vector<NodeId> words;
        for (std::uint32_t n = 0; n < count; ++n) words.push_back(load_word(from, plus(first, n)));
        if (from.type->scalar()->is_wide()) return of_wide_numbers(type, words);
        const NodeId bits = count == 1 ? words[0] : ir_.compose(type_of(Scalar::u32, count), words);
        const NodeId numbers = ir_.bitcast(ir_.types()[type].scalar, bits);
        return type == three_halves ? ir_.swizzle(numbers, std::array<std::uint8_t, 3>{0, 1, 2}) : numbers;
    }

    void store_numbers(const View& to, NodeId value) {
        const TypeId type = lowering_.type(to.type);
        const NodeId first = first_index(to), zero = ir_.zero(f16_type);
        if (type == f16_type) {
            const NodeId pair = ir_.compose(type_of(Scalar::f16, 2), std::array{value, zero});
            return store_half(to, first, shift_of_half(to), ir_.bitcast(Scalar::u32, pair));
        }
        if (type == three_halves) {
            const std::array numbers{ir_.extract(value, 0), ir_.extract(value, 1), ir_.extract(value, 2),
                                     zero};
            value = ir_.compose(type_of(Scalar::f16, 4), numbers);
        }
        if (to.type->scalar()->is_wide()) return store_wide_numbers(to, first, value);
        const NodeId bits = ir_.bitcast(Scalar::u32, value);
        const std::uint32_t count = word_count(to.type);
        for (std::uint32_t n = 0; n < count; ++n) {
            const NodeId word = count == 1 ? bits : ir_.extract(bits, n);
            if (type == three_halves && n == 1)
                store_half(to, plus(first, n), ir_.constant(0u), word);
            else
                store_word(to, plus(first, n), word);
        }
    }

    /// A number of 64 bits, or a vector of them, from its words.
    NodeId of_wide_numbers(TypeId type, const std::vector<NodeId>& words) {
        std::vector<NodeId> numbers;
        for (std::size_t n = 0; n < words.size(); n += 2) {
            const NodeId pair = ir_.compose(type_of(Scalar::u32, 2), std::array{words[n], words[n + 1]});
            numbers.push_back(ir_.bitcast(ir_.types()[type].scalar, pair));
        }
        return numbers.size() == 1 ? numbers[0] : ir_.compose(type, numbers);
    }

    void store_wide_numbers(const View& to, NodeId first, NodeId value) {
        const std::uint32_t count = word_count(to.type);
        for (std::uint32_t n = 0; n < count; ++n) {
            const NodeId number = count == 2 ? value : ir_.extract(value, n / 2);
            store_word(to, plus(first, n), ir_.extract(ir_.bitcast(Scalar::u32, number), n % 2));
        }
    }

    static constexpr TypeId three_halves = type_of(Scalar::f16, 3);

    static std::uint32_t word_count(TypeRef type) {
        return static_cast<std::uint32_t>((type->size + View::word - 1) / View::word);
    }

    // Words.

    bool is_atomic(const View& view) const { return lowering_.atomics_.contains(view.buffer); }

    NodeId plus(NodeId a, std::uint64_t b) {
        return b == 0 ? a : ir_.binary(Op::add, a, ir_.constant(static_cast<std::uint32_t>(b)));
    }

    /// The view's start in units.
    NodeId start(const View& view) {
        if (view.base) return plus(view.base, view.fixed / view.unit);
        return ir_.constant(static_cast<std::uint32_t>(view.fixed / view.unit));
    }

    NodeId first_index(const View& view) {
        NodeId index = start(view);
        if (view.unit == View::half) index = ir_.binary(Op::shift_right, index, ir_.constant(1u));
        return index;
    }

    /// By how many bits an f16 is shifted in its word.
    NodeId shift_of_half(const View& view) {
        if (view.unit == View::word)
            return ir_.constant(static_cast<std::uint32_t>(view.fixed % View::word * 8));
        const NodeId odd = ir_.binary(Op::bit_and, start(view), ir_.constant(1u));
        return ir_.binary(Op::shift_left, odd, ir_.constant(4u));
    }

    // The index of a view that isn't valid may be another word's, or out of bounds: what is
    // loaded there isn't used.
    NodeId load_word(const View& view, NodeId index) {
        const NodeId from = ir_.ref_index(view.words, index);
        const NodeId loaded = is_atomic(view) ? ir_.atomic(Op::atomic_load, from) : ir_.load(from);
        return view.is_valid ? ir_.select(ir_.constant(0u), loaded, view.is_valid) : loaded;
    }

    void store_word(const View& view, NodeId index, NodeId bits) {
        const NodeId to = ir_.ref_index(view.words, index);
        if (is_atomic(view))
            ir_.atomic(Op::atomic_store, to, bits);
        else
            ir_.store(to, bits);
    }

    /// Stores the low half of `bits` as the f16 of the word that is shifted by `shift`,
    /// and leaves the other half.
    void store_half(const View& view, NodeId index, NodeId shift, NodeId bits) {
        if (!is_atomic(view)) {  // the program will be lowered again
            lowering_.halved_.insert(view.buffer);
            return;
        }
        const NodeId to = ir_.ref_index(view.words, index);
        const NodeId half = ir_.binary(Op::shift_left, ir_.constant(0xffffu), shift);
        ir_.atomic(Op::atomic_and, to, ir_.unary(Op::bit_not, half));
        ir_.atomic(Op::atomic_or, to, ir_.binary(Op::shift_left, bits, shift));
    }

    Lowering& lowering_;
    IrBuilder& ir_;
};

NodeId Lowering::load_view(const View& from) { return ViewAccess(*this).load(from); }

void Lowering::store_view(const View& to, NodeId value) {
    if (!to.is_valid) return ViewAccess(*this).store(to, value);
    ir_.begin_if(to.is_valid);
    ViewAccess(*this).store(to, value);
    ir_.end_if();
}

NodeId Lowering::word_of_view(const View& view) { return ViewAccess(*this).first_word(view); }

}  // namespace muster::wgsl
