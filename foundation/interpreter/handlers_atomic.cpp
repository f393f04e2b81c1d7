#include <atomic>

#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/recorder.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::interpreter {
namespace {

// These map an old value and an operand to the new value.
std::uint32_t add(std::uint32_t old, std::uint32_t x) { return old + x; }
std::uint32_t sub(std::uint32_t old, std::uint32_t x) { return old - x; }
std::uint32_t unsigned_min(std::uint32_t old, std::uint32_t x) { return semantics::min(old, x); }
std::uint32_t unsigned_max(std::uint32_t old, std::uint32_t x) { return semantics::max(old, x); }
std::uint32_t signed_min(std::uint32_t old, std::uint32_t x) {
    return semantics::to_u32(semantics::min(semantics::to_i32(old), semantics::to_i32(x)));
}
std::uint32_t signed_max(std::uint32_t old, std::uint32_t x) {
    return semantics::to_u32(semantics::max(semantics::to_i32(old), semantics::to_i32(x)));
}
std::uint32_t bit_and(std::uint32_t old, std::uint32_t x) { return old & x; }
std::uint32_t bit_or(std::uint32_t old, std::uint32_t x) { return old | x; }
std::uint32_t bit_xor(std::uint32_t old, std::uint32_t x) { return old ^ x; }
std::uint32_t exchange(std::uint32_t, std::uint32_t x) { return x; }
template <float (*compute)(float, float)>
std::uint32_t on_floats(std::uint32_t old, std::uint32_t x) {
    return semantics::to_bits(compute(semantics::from_bits(old), semantics::from_bits(x)));
}

constexpr auto relaxed = std::memory_order_relaxed;

// Acts on the word and returns the old value.
using Action = std::uint32_t (*)(const Instruction* i, const std::uint32_t* r, std::uint32_t& word);

template <auto update>
std::uint32_t modify(const Instruction* i, const std::uint32_t* r, std::uint32_t& word) {
    const std::atomic_ref shared(word);
    std::uint32_t old = shared.load(relaxed);
    while (!shared.compare_exchange_weak(old, update(old, r[i->b]), relaxed)) {
    }
    return old;
}
std::uint32_t load(const Instruction*, const std::uint32_t*, std::uint32_t& word) {
    return std::atomic_ref(word).load(relaxed);
}
std::uint32_t store(const Instruction* i, const std::uint32_t* r, std::uint32_t& word) {
    std::atomic_ref(word).store(r[i->b], relaxed);
    return 0;
}
std::uint32_t compare_exchange(const Instruction* i, const std::uint32_t* r, std::uint32_t& word) {
    std::uint32_t old = r[i->c];
    std::atomic_ref(word).compare_exchange_strong(old, r[i->b], relaxed);
    return old;
}

enum class Kind : std::uint8_t { reads, writes, updates };

template <Action action, Kind kind, bool in_storage, bool findings>
const Instruction* atomic(const Instruction* i, std::uint32_t* r, Machine& machine) {
    if (--machine.slice == 0) {
        machine.resume = i;
        machine.exit = Exit::switched;
        return nullptr;
    }
    const std::uint32_t at = r[i->e];
    std::uint32_t old = 0;
    if (at != nowhere) {
        if constexpr (findings)
            machine.recorder->atomic(i, in_storage ? Where::storage : Where::workgroup, at,
                                     kind == Kind::reads);
        old = action(i, r, (in_storage ? machine.buffers[i->f].words : machine.workgroup)[at]);
    }
    if constexpr (kind != Kind::writes) r[i->a] = old;
    return i + 1;
}

template <Action action, Kind kind = Kind::updates>
Handler pick(bool in_storage, bool findings) {
    if (in_storage) return findings ? atomic<action, kind, true, true> : atomic<action, kind, true, false>;
    return findings ? atomic<action, kind, false, true> : atomic<action, kind, false, false>;
}

Handler float_atomic_handler(Op op, bool in_storage, bool findings) {
    if (op == Op::atomic_add) return pick<modify<on_floats<semantics::add>>>(in_storage, findings);
    if (op == Op::atomic_sub) return pick<modify<on_floats<semantics::sub>>>(in_storage, findings);
    if (op == Op::atomic_min) return pick<modify<on_floats<semantics::min>>>(in_storage, findings);
    if (op == Op::atomic_max) return pick<modify<on_floats<semantics::max>>>(in_storage, findings);
    return nullptr;
}

}  // namespace

Handler atomic_handler(Op op, Scalar scalar, Where where, bool findings) {
    const bool in_storage = where != Where::workgroup;
    if (scalar == Scalar::f32)
        if (const Handler handler = float_atomic_handler(op, in_storage, findings)) return handler;
    const bool is_signed = scalar == Scalar::i32;
    if (op == Op::atomic_load) return pick<load, Kind::reads>(in_storage, findings);
    if (op == Op::atomic_store) return pick<store, Kind::writes>(in_storage, findings);
    if (op == Op::atomic_add) return pick<modify<add>>(in_storage, findings);
    if (op == Op::atomic_sub) return pick<modify<sub>>(in_storage, findings);
    if (op == Op::atomic_min && is_signed) return pick<modify<signed_min>>(in_storage, findings);
    if (op == Op::atomic_min) return pick<modify<unsigned_min>>(in_storage, findings);
    if (op == Op::atomic_max && is_signed) return pick<modify<signed_max>>(in_storage, findings);
    if (op == Op::atomic_max) return pick<modify<unsigned_max>>(in_storage, findings);
    if (op == Op::atomic_and) return pick<modify<bit_and>>(in_storage, findings);
    if (op == Op::atomic_or) return pick<modify<bit_or>>(in_storage, findings);
    if (op == Op::atomic_xor) return pick<modify<bit_xor>>(in_storage, findings);
    if (op == Op::atomic_exchange) return pick<modify<exchange>>(in_storage, findings);
    if (op == Op::atomic_compare_exchange) return pick<compare_exchange>(in_storage, findings);
    return nullptr;
}

}  // namespace muster::interpreter
