// handlers_value.cpp - selecting, gathering and copying words, and control flow.

#include <array>
#include <cstring>

#include <muster/foundation/interpreter/handlers.hpp>

namespace muster::interpreter {
namespace {

template <unsigned words, unsigned each>
const Instruction* select_components(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < words; ++k) r[i->a + k] = r[i->d + k / each] != 0 ? r[i->c + k] : r[i->b + k];
    return i + 1;
}
const Instruction* select_whole(const Instruction* i, std::uint32_t* r, Machine&) {
    std::memmove(r + i->a, r + (r[i->d] != 0 ? i->c : i->b), std::size_t{i->f} * 4);
    return i + 1;
}
const Instruction* select_one(const Instruction* i, std::uint32_t* r, Machine&) {
    r[i->a] = r[r[i->d] != 0 ? i->c : i->b];
    return i + 1;
}

template <unsigned width, bool all>
const Instruction* reduce(const Instruction* i, std::uint32_t* r, Machine&) {
    std::uint32_t set = 0;
    for (unsigned k = 0; k < width; ++k) set += r[i->b + k];
    r[i->a] = all ? set == width : set != 0;
    return i + 1;
}

template <unsigned width>
const Instruction* gather(const Instruction* i, std::uint32_t* r, Machine&) {
    const std::uint32_t x = r[i->b];
    const std::uint32_t y = width > 1 ? r[i->c] : 0;
    const std::uint32_t z = width > 2 ? r[i->d] : 0;
    const std::uint32_t w = width > 3 ? r[i->e] : 0;
    r[i->a] = x;
    if constexpr (width > 1) r[i->a + 1] = y;
    if constexpr (width > 2) r[i->a + 2] = z;
    if constexpr (width > 3) r[i->a + 3] = w;
    return i + 1;
}
const Instruction* copy(const Instruction* i, std::uint32_t* r, Machine&) {
    std::memmove(r + i->a, r + i->b, std::size_t{i->f} * 4);
    return i + 1;
}
const Instruction* zero(const Instruction* i, std::uint32_t* r, Machine&) {
    std::memset(r + i->a, 0, std::size_t{i->f} * 4);
    return i + 1;
}
const Instruction* immediate(const Instruction* i, std::uint32_t* r, Machine&) {
    r[i->a] = i->b;
    return i + 1;
}

const Instruction* target(const Instruction* i) { return i + static_cast<std::int32_t>(i->a); }

const Instruction* jump(const Instruction* i, std::uint32_t*, Machine&) { return target(i); }
template <bool when>
const Instruction* branch(const Instruction* i, std::uint32_t* r, Machine&) {
    return (r[i->b] != 0) == when ? target(i) : i + 1;
}
const Instruction* jump_at_case(const Instruction* i, std::uint32_t* r, Machine&) {
    return r[i->b] == i->c ? target(i) : i + 1;
}
const Instruction* loop(const Instruction* i, std::uint32_t*, Machine& machine) {
    machine.fuel -= i->b;
    if (machine.fuel > 0) [[likely]]
        return target(i);
    machine.resume = target(i);
    machine.paused = i;
    machine.exit = Exit::paused;
    return nullptr;
}
template <Op op>
const Instruction* barrier(const Instruction* i, std::uint32_t*, Machine& machine) {
    machine.resume = i + 1;
    machine.exit = Exit::barrier;
    machine.barrier = op;
    return nullptr;
}
const Instruction* grid_barrier(const Instruction* i, std::uint32_t*, Machine& machine) {
    machine.resume = i + 1;
    machine.exit = Exit::barrier;
    return nullptr;
}
const Instruction* subgroup(const Instruction* i, std::uint32_t*, Machine& machine) {
    machine.resume = i;
    machine.exit = Exit::subgroup;
    return nullptr;
}
const Instruction* done(const Instruction*, std::uint32_t*, Machine& machine) {
    machine.exit = Exit::done;
    return nullptr;
}

}  // namespace

Handler select_handler(bool vector_condition, std::uint32_t words, bool wide) {
    if (!vector_condition) return words == 1 ? select_one : select_whole;
    const std::uint32_t width = wide ? words / 2 : words;
    if (width < 2 || width > 4) return nullptr;
    if (wide)
        return std::array<Handler, 3>{select_components<4, 2>, select_components<6, 2>,
                                      select_components<8, 2>}[width - 2];
    return std::array<Handler, 3>{select_components<2, 1>, select_components<3, 1>,
                                  select_components<4, 1>}[width - 2];
}

Handler reduce_handler(Op op, std::uint32_t width) {
    if (width < 1 || width > 4) return nullptr;
    if (op == Op::all)
        return std::array<Handler, 4>{reduce<1, true>, reduce<2, true>, reduce<3, true>,
                                      reduce<4, true>}[width - 1];
    return std::array<Handler, 4>{reduce<1, false>, reduce<2, false>, reduce<3, false>,
                                  reduce<4, false>}[width - 1];
}

Handler gather_handler(std::uint32_t width) {
    if (width < 1 || width > 4) return nullptr;
    return std::array<Handler, 4>{gather<1>, gather<2>, gather<3>, gather<4>}[width - 1];
}

Handler copy_handler() { return copy; }
Handler zero_handler() { return zero; }
Handler immediate_handler() { return immediate; }
Handler jump_handler() { return jump; }
Handler branch_handler(bool when) { return when ? branch<true> : branch<false>; }
Handler case_handler() { return jump_at_case; }
Handler loop_handler() { return loop; }
Handler barrier_handler(Op op) {
    return op == Op::storage_barrier ? barrier<Op::storage_barrier> : barrier<Op::workgroup_barrier>;
}
Handler grid_barrier_handler() { return grid_barrier; }
Handler done_handler() { return done; }
Handler subgroup_handler() { return subgroup; }

}  // namespace muster::interpreter
