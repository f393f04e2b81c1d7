// handlers.hpp - which handler executes what, and which words of an instruction it reads. Internal.
// A null answer means that there is none: the program isn't valid.
#pragma once

#include <cstdint>

#include <muster/foundation/interpreter/machine.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::interpreter {

// Values. a: result; b, c, d: operands. `width` is 1 to 4.

/// Componentwise arithmetic, comparison and bit operations; `scalar` is that of the first operand.
Handler scalar_handler(Op op, Scalar scalar, std::uint32_t width, bool flush);
/// Op::exp and its kin: f is the Op; c is b where there is one operand.
Handler math_handler(Op op, std::uint32_t width, bool flush);
/// Null too where the bits stay the same: see keeps_bits().
Handler conversion_handler(Op op, Scalar from, Scalar to, std::uint32_t width, bool flush);
bool keeps_bits(Op op, Scalar from, Scalar to);
/// b: if false, c: if true, d: condition. A scalar condition with a value of any size: f words.
Handler select_handler(bool vector_condition, std::uint32_t width);
/// all, any of b.
Handler reduce_handler(Op op, std::uint32_t width);
/// Words b, c, d, e to a, a + 1, ...; all are read before one is written.
Handler gather_handler(std::uint32_t width);
/// f words from b to a.
Handler copy_handler();
/// f zeros to a.
Handler zero_handler();
/// b itself to a.
Handler immediate_handler();

// Control. a: distance to the target.

Handler jump_handler();
/// Jumps where b is `when`.
Handler branch_handler(bool when);
/// Jumps where comparing b with c gives `when`.
Handler compare_branch_handler(Op op, Scalar scalar, bool when, bool flush);
/// Jumps where b equals the word c itself.
Handler case_handler();
/// Jumps back; b: the fuel it takes.
Handler loop_handler();
Handler barrier_handler(Op op);
/// All of the grid meet. a: 1 where it orders their accesses, 0 where it only keeps the swift from going on.
Handler grid_barrier_handler();
Handler done_handler();

// Memory. A place is `at` words from its memory's start:
//   fixed    at = e
//   indexed  at = e + b * c where b < d, else nowhere   (e and c themselves; b, d in the frame)
//   chained  at = e + b * c where b < d and e isn't nowhere   (e in the frame too)
//   at       at = e, in the frame
// a: the value; f: the binding.

enum class Form : std::uint8_t { fixed, indexed, chained, at };
enum class Where : std::uint8_t {
    frame,
    workgroup,
    storage,         // not switched at: the program only reads it or only writes it
    shared_storage,  // others may write what is read here
};

/// Result a is the address of form `indexed` or `chained`.
Handler address_handler(Form form, bool findings);
/// Of 1 to 4 words; or, with width 0 and form `at`, of shape c.
Handler load_handler(Where where, Form form, std::uint32_t width, bool findings);
Handler store_handler(Where where, Form form, std::uint32_t width, bool findings);
/// Form `at`. a: the old value, b: the value, c: what is expected.
Handler atomic_handler(Op op, Scalar scalar, Where where, bool findings);

}  // namespace muster::interpreter
