#include <set>

#include <doctest/doctest.h>

#include <muster/foundation/ir/op_kind.hpp>

namespace muster {

TEST_CASE("Each operation has one name, by which it is found, and one spelling") {
    std::set<std::string_view> spellings;
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op{static_cast<std::uint8_t>(i)};
        CHECK(info(op).op == op);
        CHECK(op_by_name(info(op).name) == op);
        CHECK(!info(op).name.ends_with('_'));
        // A sign of two operands may also be one of one operand.
        if (!spelling_of(op).empty() && info(op).operands != 1)
            CHECK(spellings.insert(spelling_of(op)).second);
    }
    CHECK(op_by_name("if") == Op::if_);
    CHECK(spelling_of(Op::lt) == "<");
    CHECK(is_operator(Op::neg));
    CHECK(!is_operator(Op::min));
    CHECK(!is_operator(Op::load));
}

TEST_CASE("Built-in values have names and widths") {
    CHECK(name(Builtin::workgroup_id) == "workgroup_id");
    CHECK(width(Builtin::workgroup_id) == 3);
    CHECK(width(Builtin::subgroup_id) == 1);
    CHECK(is_of_subgroups(Builtin::num_subgroups));
    CHECK(!is_of_subgroups(Builtin::num_workgroups));
    CHECK(builtin_count == 9);
}

}  // namespace muster
