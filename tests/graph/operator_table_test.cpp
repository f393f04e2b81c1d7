#include <set>

#include <doctest/doctest.h>

#include <muster/graph/ir/operator.hpp>

namespace muster::graph {

TEST_CASE("The table of operators has each name once, and finds it") {
    std::set<std::string_view> names;
    for (const OperatorInfo& row : operators()) {
        CHECK(names.insert(row.name).second);
        CHECK(operator_by_name(row.name) == row.op);
        CHECK(row.since >= 7);
        CHECK(row.form >= row.since);
    }
    CHECK(!operator_by_name("Konv"));
}

TEST_CASE("Defaults in the table are read as their kind") {
    const auto none = [](Operator op) { return Attributes(info(op), {}); };
    CHECK(none(Operator::leaky_relu).number("alpha") == 0.01f);
    CHECK(none(Operator::batch_normalization).number("epsilon") == 1e-5f);
    CHECK(none(Operator::softmax).integer("axis") == -1);
    CHECK(none(Operator::conv).text("auto_pad") == "NOTSET");
    CHECK(none(Operator::conv).integers("pads").empty());
    CHECK(none(Operator::constant_of_shape).tensor("value") == nullptr);
    for (const OperatorInfo& row : operators()) {
        for (const AttributeInfo& attribute : row.attributes.all()) {
            CHECK_MESSAGE(!(attribute.required && !attribute.default_text.empty()), row.name);
        }
    }
}

TEST_CASE("Numbers of inputs and outputs count what is optional and variadic") {
    CHECK(info(Operator::conv).fewest_inputs() == 2);
    CHECK(info(Operator::conv).most_inputs() == 3);
    CHECK(info(Operator::concat).fewest_inputs() == 1);
    CHECK(info(Operator::concat).most_inputs() == SIZE_MAX);
    CHECK(info(Operator::split).most_outputs() == SIZE_MAX);
    CHECK(info(Operator::qlinear_conv).fewest_inputs() == 8);
    CHECK(info(Operator::concat).input(7).name == "data");
}

TEST_CASE("What operators are is a column of the table") {
    CHECK(info(Operator::conv).is_product);
    CHECK(info(Operator::conv).is_spatial);
    CHECK(!info(Operator::softmax).is_spatial);
    CHECK(info(Operator::max).is_elementwise);
    CHECK(info(Operator::reshape).input(1).constant);
    CHECK(!info(Operator::reshape).input(0).constant);
    CHECK(info(Operator::pad).input(3).constant);
    CHECK(!info(Operator::pad).input(2).constant);
    for (const OperatorInfo& row : operators()) {
        CAPTURE(row.name);
        if (row.is_view) CHECK(row.only_moves);
        // The numbers that it moves are of the first input's type.
        if (row.only_moves) CHECK(row.output(0).variable == row.input(0).variable);
        if (row.is_product || row.is_elementwise) CHECK(!(row.is_product && row.is_elementwise));
    }
}

}  // namespace muster::graph
