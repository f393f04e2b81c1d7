#include <array>
#include <atomic>
#include <type_traits>
#include <utility>

#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/recorder.hpp>

namespace muster::interpreter {
namespace {

template <Where where>
using Unit = std::conditional_t<unit_bytes(where) == 1, std::uint8_t,
                                std::conditional_t<unit_bytes(where) == 2, std::uint16_t, std::uint32_t>>;

template <Where where>
Unit<where>* memory(const Instruction* i, std::uint32_t* r, const Machine& machine) {
    if constexpr (where == Where::frame) return r;
    if constexpr (where == Where::workgroup) return machine.workgroup;
    if constexpr (in_storage(where)) return reinterpret_cast<Unit<where>*>(machine.buffers[i->f].words);
}

// Accesses bindings by relaxed atomics, which cost no more than plain accesses on the machines we know.
template <Where where, class T>
T get(T* word) {
    if constexpr (in_storage(where)) return std::atomic_ref(*word).load(std::memory_order_relaxed);
    return *word;
}
template <Where where, class T>
void put(T* word, std::uint32_t value) {
    if constexpr (in_storage(where)) {
        std::atomic_ref(*word).store(static_cast<T>(value), std::memory_order_relaxed);
    } else {
        *word = static_cast<T>(value);
    }
}

// True if another invocation's turn comes before this access.
template <Where where>
bool turn_is_over(const Instruction* i, Machine& machine) {
    if constexpr (!is_shared(where)) return false;
    if (--machine.slice != 0) return false;
    machine.resume = i;
    machine.exit = Exit::switched;
    return true;
}

template <Form form, bool findings>
std::uint32_t address(const Instruction* i, const std::uint32_t* r, Machine& machine) {
    if constexpr (form == Form::fixed) return i->e;
    if constexpr (form == Form::at) return r[i->e];
    if constexpr (form == Form::indexed || form == Form::chained) {
        const std::uint32_t index = r[i->b], count = r[i->d];
        const std::uint32_t base = form == Form::chained ? r[i->e] : i->e;
        if (index < count && base != nowhere) [[likely]]
            return base + index * i->c;
        if constexpr (findings)
            if (index >= count) machine.recorder->out_of_bounds(i, base, index, count);
        return nowhere;
    }
}

template <Form form, bool findings>
const Instruction* make_address(const Instruction* i, std::uint32_t* r, Machine& machine) {
    r[i->a] = address<form, findings>(i, r, machine);
    return i + 1;
}

template <Where where, Form form, unsigned width, bool findings>
const Instruction* load(const Instruction* i, std::uint32_t* r, Machine& machine) {
    if (turn_is_over<where>(i, machine)) return nullptr;
    const std::uint32_t at = address<form, findings>(i, r, machine);
    if (at == nowhere) [[unlikely]] {
        for (unsigned k = 0; k < width; ++k) r[i->a + k] = 0;
        return i + 1;
    }
    if constexpr (findings && where != Where::frame) machine.recorder->read(i, where, at, width);
    Unit<where>* from = memory<where>(i, r, machine) + at;
    for (unsigned k = 0; k < width; ++k) r[i->a + k] = get<where>(from + k);
    return i + 1;
}

template <Where where, Form form, unsigned width, bool findings>
const Instruction* store(const Instruction* i, std::uint32_t* r, Machine& machine) {
    if (turn_is_over<where>(i, machine)) return nullptr;
    const std::uint32_t at = address<form, findings>(i, r, machine);
    if (at == nowhere) [[unlikely]]
        return i + 1;
    if constexpr (findings && where != Where::frame) machine.recorder->write(i, where, at, width);
    Unit<where>* to = memory<where>(i, r, machine) + at;
    for (unsigned k = 0; k < width; ++k) put<where>(to + k, r[i->a + k]);
    return i + 1;
}

constexpr std::uint32_t bytes_of(Cell cell) {
    return cell == Cell::word ? 4 : cell == Cell::half || cell == Cell::signed_half ? 2 : 1;
}

// The units of memory that a range takes.
template <Where where>
std::uint32_t units(const WordRange& range) {
    return in_storage(where) ? range.count * (bytes_of(range.cell) / unit_bytes(where)) : range.count;
}

template <Where where, class T>
void load_cells(const WordRange& range, std::uint32_t* to, void* from) {
    for (std::uint32_t k = 0; k < range.count; ++k)
        to[range.value + k] = static_cast<std::uint32_t>(
            get<where>(static_cast<T*>(from) + k));  // NOLINT(bugprone-signed-char-misuse): i8 is extended
}
template <Where where>
void load_range(const WordRange& range, std::uint32_t* to, void* from) {
    switch (range.cell) {
        case Cell::word: return load_cells<where, std::uint32_t>(range, to, from);
        case Cell::half: return load_cells<where, std::uint16_t>(range, to, from);
        case Cell::signed_half: return load_cells<where, std::int16_t>(range, to, from);
        case Cell::byte: return load_cells<where, std::uint8_t>(range, to, from);
        case Cell::signed_byte: return load_cells<where, std::int8_t>(range, to, from);
    }
}

template <Where where, class T>
void store_cells(const WordRange& range, const std::uint32_t* from, void* to) {
    for (std::uint32_t k = 0; k < range.count; ++k)
        put<where>(static_cast<T*>(to) + k, from[range.value + k]);
}
template <Where where>
void store_range(const WordRange& range, const std::uint32_t* from, void* to) {
    switch (bytes_of(range.cell)) {
        case 1: return store_cells<where, std::uint8_t>(range, from, to);
        case 2: return store_cells<where, std::uint16_t>(range, from, to);
        default: return store_cells<where, std::uint32_t>(range, from, to);
    }
}

template <Where where, bool findings>
const Instruction* load_shape(const Instruction* i, std::uint32_t* r, Machine& machine) {
    if (turn_is_over<where>(i, machine)) return nullptr;
    const ValueLayout& layout = machine.layouts[i->c];
    const std::uint32_t at = r[i->e];
    if (at == nowhere) {
        for (std::uint32_t k = 0; k < layout.words; ++k) r[i->a + k] = 0;
        return i + 1;
    }
    for (std::uint32_t s = layout.first; s < layout.first + layout.count; ++s) {
        const WordRange& range = machine.word_ranges[s];
        if constexpr (findings && where != Where::frame)
            machine.recorder->read(i, where, at + range.memory, units<where>(range));
        load_range<where>(range, r + i->a, memory<where>(i, r, machine) + at + range.memory);
    }
    return i + 1;
}

template <Where where, bool findings>
const Instruction* store_shape(const Instruction* i, std::uint32_t* r, Machine& machine) {
    if (turn_is_over<where>(i, machine)) return nullptr;
    const ValueLayout& layout = machine.layouts[i->c];
    const std::uint32_t at = r[i->e];
    if (at == nowhere) return i + 1;
    for (std::uint32_t s = layout.first; s < layout.first + layout.count; ++s) {
        const WordRange& range = machine.word_ranges[s];
        if constexpr (findings && where != Where::frame)
            machine.recorder->write(i, where, at + range.memory, units<where>(range));
        store_range<where>(range, r + i->a, memory<where>(i, r, machine) + at + range.memory);
    }
    return i + 1;
}

template <Where where, Form form, bool findings>
constexpr std::array<Handler, 5> loads{form == Form::at ? load_shape<where, findings> : nullptr,
                                       load<where, form, 1, findings>, load<where, form, 2, findings>,
                                       load<where, form, 3, findings>, load<where, form, 4, findings>};
template <Where where, Form form, bool findings>
constexpr std::array<Handler, 5> stores{form == Form::at ? store_shape<where, findings> : nullptr,
                                        store<where, form, 1, findings>, store<where, form, 2, findings>,
                                        store<where, form, 3, findings>, store<where, form, 4, findings>};

// Handlers by kind of memory and form of place: [where][form][width].
using Accesses = std::array<std::array<std::array<Handler, 5>, 4>, 8>;
template <Where where, bool findings>
constexpr std::array<std::array<Handler, 5>, 4> loads_of{
    loads<where, Form::fixed, findings>, loads<where, Form::indexed, findings>,
    loads<where, Form::chained, findings>, loads<where, Form::at, findings>};
template <Where where, bool findings>
constexpr std::array<std::array<Handler, 5>, 4> stores_of{
    stores<where, Form::fixed, findings>, stores<where, Form::indexed, findings>,
    stores<where, Form::chained, findings>, stores<where, Form::at, findings>};
template <bool findings>
constexpr Accesses all_loads{
    loads_of<Where::frame, findings>,        loads_of<Where::workgroup, findings>,
    loads_of<Where::storage, findings>,      loads_of<Where::shared_storage, findings>,
    loads_of<Where::half_storage, findings>, loads_of<Where::shared_half_storage, findings>,
    loads_of<Where::byte_storage, findings>, loads_of<Where::shared_byte_storage, findings>};
template <bool findings>
constexpr Accesses all_stores{
    stores_of<Where::frame, findings>,        stores_of<Where::workgroup, findings>,
    stores_of<Where::storage, findings>,      stores_of<Where::shared_storage, findings>,
    stores_of<Where::half_storage, findings>, stores_of<Where::shared_half_storage, findings>,
    stores_of<Where::byte_storage, findings>, stores_of<Where::shared_byte_storage, findings>};

Handler pick(const Accesses& accesses, Where where, Form form, std::uint32_t width) {
    return accesses[std::to_underlying(where)][std::to_underlying(form)][width];
}

}  // namespace

Handler address_handler(Form form, bool findings) {
    if (form == Form::indexed)
        return findings ? make_address<Form::indexed, true> : make_address<Form::indexed, false>;
    return findings ? make_address<Form::chained, true> : make_address<Form::chained, false>;
}
Handler load_handler(Where where, Form form, std::uint32_t width, bool findings) {
    return pick(findings ? all_loads<true> : all_loads<false>, where, form, width);
}
Handler store_handler(Where where, Form form, std::uint32_t width, bool findings) {
    return pick(findings ? all_stores<true> : all_stores<false>, where, form, width);
}

}  // namespace muster::interpreter
