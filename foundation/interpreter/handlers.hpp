// handlers.hpp - selects the handler for each operation, and defines which words of an instruction it reads.
// Internal. Functions return null for operations that no valid program has.
#pragma once

#include <cstdint>

#include <muster/foundation/interpreter/machine.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::interpreter {

// Values. a: result; b, c, d: operands. `width` is 1 to 4.

/// Componentwise arithmetic, comparison and bit operations; `scalar` is the first operand's.
Handler scalar_handler(Op op, Scalar scalar, std::uint32_t width, bool flush);
/// The math group: f is the Op; c equals b if there is only one operand.
Handler math_handler(Op op, Scalar scalar, std::uint32_t width, bool flush);
/// `width` is the result's. Also null if the bits stay the same: see keeps_bits().
Handler conversion_handler(Op op, Scalar from, Scalar to, std::uint32_t width, bool flush);
bool keeps_bits(Op op, Scalar from, Scalar to);
/// b: if false, c: if true, d: condition. A scalar condition with a value of any size: f words.
/// `words`: of the value; `wide`: two of them are a component.
Handler select_handler(bool vector_condition, std::uint32_t words, bool wide);
/// all or any of b.
Handler reduce_handler(Op op, std::uint32_t width);
/// Gathers words b, c, d, e into a, a + 1, ...; reads all before it writes one.
Handler gather_handler(std::uint32_t width);
/// Copies f words from b to a.
Handler copy_handler();
/// Writes f zeros from a on.
Handler zero_handler();
/// Writes the word b itself to a.
Handler immediate_handler();

// Control flow. a: distance to the target.

Handler jump_handler();
/// Jumps if b is `when`.
Handler branch_handler(bool when);
/// Jumps if comparing b with c gives `when`.
Handler compare_branch_handler(Op op, Scalar scalar, bool when, bool flush);
/// Jumps if b equals the word c itself.
Handler case_handler();
/// Jumps back; b: the fuel that an iteration takes.
Handler loop_handler();
Handler barrier_handler(Op op);
/// All invocations of the grid meet. a: 1 if it orders their accesses, 0 if it only holds them until all have
/// arrived.
Handler grid_barrier_handler();
Handler done_handler();
/// Stops before an operation of the subgroup, which group.cpp carries out for all of its invocations
/// (subgroup.hpp). a: the result, b: the value, c: the second operand; f: the node.
Handler subgroup_handler();

// Memory. A place is `at` words, half words or bytes from the start of its memory:
//   fixed    at = e
//   indexed  at = e + b * c if b < d, else nowhere   (e and c themselves; b, d in the frame)
//   chained  at = e + b * c if b < d and e isn't nowhere   (e in the frame too)
//   at       at = e, in the frame
// a: the value; f: the binding.

enum class Form : std::uint8_t { fixed, indexed, chained, at };
enum class Where : std::uint8_t {
    frame,
    workgroup,
    storage,         // never switched at: the program only reads it or only writes it
    shared_storage,  // other invocations may write what is read here
    // The same in half words, for scalars of 2 bytes and whole values that contain any, and in bytes.
    half_storage,
    shared_half_storage,
    byte_storage,
    shared_byte_storage,
};
/// The bytes by which addresses count.
constexpr std::uint32_t unit_bytes(Where where) {
    switch (where) {
        case Where::frame:
        case Where::workgroup:
        case Where::storage:
        case Where::shared_storage: return 4;
        case Where::half_storage:
        case Where::shared_half_storage: return 2;
        case Where::byte_storage:
        case Where::shared_byte_storage: return 1;
    }
    return 4;
}
constexpr bool in_storage(Where where) { return where != Where::frame && where != Where::workgroup; }
/// True if an access may have to wait for other invocations' turns.
constexpr bool is_shared(Where where) {
    return where == Where::workgroup || where == Where::shared_storage ||
           where == Where::shared_half_storage || where == Where::shared_byte_storage;
}

/// Computes an address of form `indexed` or `chained` into a.
Handler address_handler(Form form, bool findings);
/// Loads 1 to 4 words, half words or bytes, without a sign; or, with width 0 and form `at`, a value of layout
/// c; store_handler likewise.
Handler load_handler(Where where, Form form, std::uint32_t width, bool findings);
Handler store_handler(Where where, Form form, std::uint32_t width, bool findings);
/// Form `at`. a: the old value, b: the value, c: the expected value.
Handler atomic_handler(Op op, Scalar scalar, Where where, bool findings);

}  // namespace muster::interpreter
