#include <cstring>
#include <type_traits>
#include <utility>

#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/recorder.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::interpreter {
namespace {

// These map an old value and an operand to the new value. T is a word, of 32 or 64 bits.
template <class T>
T add(T old, T x) {
    return old + x;
}
template <class T>
T sub(T old, T x) {
    return old - x;
}
template <class T>
T signed_min(T old, T x) {
    using Signed = std::make_signed_t<T>;
    return static_cast<T>(semantics::min(static_cast<Signed>(old), static_cast<Signed>(x)));
}
template <class T>
T signed_max(T old, T x) {
    using Signed = std::make_signed_t<T>;
    return static_cast<T>(semantics::max(static_cast<Signed>(old), static_cast<Signed>(x)));
}
template <class T>
T bit_and(T old, T x) {
    return old & x;
}
template <class T>
T bit_or(T old, T x) {
    return old | x;
}
template <class T>
T bit_xor(T old, T x) {
    return old ^ x;
}
template <class T>
T exchange(T, T x) {
    return x;
}
template <float (*compute)(float, float)>
std::uint32_t on_floats(std::uint32_t old, std::uint32_t x) {
    return semantics::to_bits(compute(semantics::from_bits(old), semantics::from_bits(x)));
}

// One or two registers.
template <class T>
T get(const std::uint32_t* r) {
    T value;
    std::memcpy(&value, r, sizeof value);
    return value;
}
template <class T>
void set(std::uint32_t* r, T value) {
    std::memcpy(r, &value, sizeof value);
}

// Words in memory. Those of storage are shared with other threads. Workgroup memory is of one thread, and its
// words of 64 bits may lie at any word.
template <class T, bool in_storage>
struct Word {
    using Shared [[gnu::may_alias]] = T;

    explicit Word(std::uint32_t* at) : words(at) {}
    T load() const {
        if constexpr (!in_storage) return get<T>(words);
        return __atomic_load_n(shared(), __ATOMIC_RELAXED);
    }
    void store(T value) const {
        if constexpr (in_storage)
            __atomic_store_n(shared(), value, __ATOMIC_RELAXED);
        else
            set(words, value);
    }
    /// Stores `value` if the word is `expected`, which becomes the word's old value.
    bool exchange(T& expected, T value) const {
        if constexpr (in_storage) {
            return __atomic_compare_exchange_n(shared(), &expected, value, false, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED);
        } else {
            const T old = load();
            if (old == expected) store(value);
            return std::exchange(expected, old) == old;
        }
    }

    Shared* shared() const { return reinterpret_cast<Shared*>(words); }
    std::uint32_t* words;
};

// These act on a word and return the old value.
template <class T, auto update>
struct Modify {
    template <class W>
    static T run(const Instruction* i, const std::uint32_t* r, W word) {
        T old = word.load();
        while (!word.exchange(old, update(old, get<T>(r + i->b)))) {
        }
        return old;
    }
};
template <class T>
struct Load {
    template <class W>
    static T run(const Instruction*, const std::uint32_t*, W word) {
        return word.load();
    }
};
template <class T>
struct Store {
    template <class W>
    static T run(const Instruction* i, const std::uint32_t* r, W word) {
        word.store(get<T>(r + i->b));
        return 0;
    }
};
template <class T>
struct CompareExchange {
    template <class W>
    static T run(const Instruction* i, const std::uint32_t* r, W word) {
        T old = get<T>(r + i->c);
        word.exchange(old, get<T>(r + i->b));
        return old;
    }
};

enum class Kind : std::uint8_t { reads, writes, updates };

template <class T, class Action, Kind kind, bool in_storage, bool findings>
const Instruction* atomic(const Instruction* i, std::uint32_t* r, Machine& machine) {
    if (--machine.slice == 0) {
        machine.resume = i;
        machine.exit = Exit::switched;
        return nullptr;
    }
    const std::uint32_t at = r[i->e];
    T old = 0;
    if (at != nowhere) {
        if constexpr (findings)
            machine.recorder->atomic(i, in_storage ? Where::storage : Where::workgroup, at,
                                     kind == Kind::reads);
        std::uint32_t* const words = in_storage ? machine.buffers[i->f].words : machine.workgroup;
        old = Action::run(i, r, Word<T, in_storage>(words + at));
    }
    if constexpr (kind != Kind::writes) set(r + i->a, old);
    return i + 1;
}

template <class T, class Action, Kind kind = Kind::updates>
Handler pick(bool in_storage, bool findings) {
    if (in_storage)
        return findings ? atomic<T, Action, kind, true, true> : atomic<T, Action, kind, true, false>;
    return findings ? atomic<T, Action, kind, false, true> : atomic<T, Action, kind, false, false>;
}

Handler float_atomic_handler(Op op, bool in_storage, bool findings) {
    const auto of = [&]<float (*compute)(float, float)>() {
        return pick<std::uint32_t, Modify<std::uint32_t, on_floats<compute>>>(in_storage, findings);
    };
    if (op == Op::atomic_add) return of.operator()<semantics::add>();
    if (op == Op::atomic_sub) return of.operator()<semantics::sub>();
    if (op == Op::atomic_min) return of.operator()<semantics::min>();
    if (op == Op::atomic_max) return of.operator()<semantics::max>();
    return nullptr;
}

template <class T>
Handler integer_atomic_handler(Op op, bool is_signed, bool in_storage, bool findings) {
    const auto modify = [&]<T (*update)(T, T)>() { return pick<T, Modify<T, update>>(in_storage, findings); };
    if (op == Op::atomic_load) return pick<T, Load<T>, Kind::reads>(in_storage, findings);
    if (op == Op::atomic_store) return pick<T, Store<T>, Kind::writes>(in_storage, findings);
    if (op == Op::atomic_add) return modify.template operator()<add<T>>();
    if (op == Op::atomic_sub) return modify.template operator()<sub<T>>();
    if (op == Op::atomic_min && is_signed) return modify.template operator()<signed_min<T>>();
    if (op == Op::atomic_min) return modify.template operator()<semantics::min<T>>();
    if (op == Op::atomic_max && is_signed) return modify.template operator()<signed_max<T>>();
    if (op == Op::atomic_max) return modify.template operator()<semantics::max<T>>();
    if (op == Op::atomic_and) return modify.template operator()<bit_and<T>>();
    if (op == Op::atomic_or) return modify.template operator()<bit_or<T>>();
    if (op == Op::atomic_xor) return modify.template operator()<bit_xor<T>>();
    if (op == Op::atomic_exchange) return modify.template operator()<exchange<T>>();
    if (op == Op::atomic_compare_exchange) return pick<T, CompareExchange<T>>(in_storage, findings);
    return nullptr;
}

}  // namespace

Handler atomic_handler(Op op, Scalar scalar, Where where, bool findings) {
    const bool in_storage = where != Where::workgroup;
    if (scalar == Scalar::f32)
        if (const Handler handler = float_atomic_handler(op, in_storage, findings)) return handler;
    return is_wide(scalar)
               ? integer_atomic_handler<std::uint64_t>(op, is_signed(scalar), in_storage, findings)
               : integer_atomic_handler<std::uint32_t>(op, is_signed(scalar), in_storage, findings);
}

}  // namespace muster::interpreter
