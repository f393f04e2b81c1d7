#include <muster/graph/portable/conversions.hpp>
#include <muster/graph/rewrite/conversion_site.hpp>

namespace muster::graph {
namespace {

Result<ConversionOutcome> remove_dead_node(ConversionSite& at) { return at.remove_if_unused(); }
Result<ConversionOutcome> fold_node(ConversionSite& at) { return at.fold(); }

}  // namespace

std::vector<ConversionPattern> clean_up() {
    return {
        {.name = "dead code removed", .function = remove_dead_node},
        {.name = "constants folded", .function = fold_node},
        {.name = "Identity removed", .match = {"Identity(x)"}, .give = "x"},
        {.name = "Dropout removed", .match = {"d = Dropout(x, ratio?, mode?)"}, .give = "x"},
        {.name = "move of nothing removed",
         .match = {"y = Expand(x, shape)", "y = Tile(x, repeats)", "y = Slice(x, starts, ends, axes?)"},
         .where = "same_shape(x, y)",
         .give = "x"},
        {.name = "operator of one input removed",
         .match = {"Sum(x)", "Max(x)", "Min(x)", "c = Concat(x)"},
         .give = "x"},
        {.name = "Sum of two to Add", .match = {"Sum(a, b)"}, .give = "a + b"},
        {.name = "Cast to the same type removed",
         .match = {"y = Cast(x)"},
         .where = "same_type(x, y)",
         .give = "x"},
        {.name = "Cast of Cast joined",
         .match = {"y = Cast(Cast(x) as c)"},
         .where = "lossless(x, c)",
         .give = "Cast(x) {y}"},
        {.name = "multiplication by 1 removed",
         .match = {"y = x * 1", "y = x / 1"},
         .where = "same_shape(x, y)",
         .give = "x"},
        {.name = "addition of 0 removed",
         .bits = Bits::changed,  // -0 + 0 is +0
         .match = {"y = x + 0", "y = x - 0"},
         .where = "same_shape(x, y)",
         .give = "x"},
        {.name = "Relu of Relu joined", .match = {"Relu(Relu(x))"}, .give = "Relu(x)"},
        {.name = "Abs of Neg joined", .match = {"Abs(Neg(x))", "Abs(Abs(x))"}, .give = "Abs(x)"},
        {.name = "Neg of Neg removed", .match = {"Neg(Neg(x))"}, .give = "x"},
        {.name = "Not of Not removed", .match = {"Not(Not(x))"}, .give = "x"},
    };
}

}  // namespace muster::graph
