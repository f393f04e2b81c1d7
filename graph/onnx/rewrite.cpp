// The older forms of operators, in one table: what an opset before a row's does otherwise than the canonical
// form; and operators that are made of others.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/draft.hpp>

namespace muster::graph::onnx {
namespace {

struct Rewrite {
    std::string_view op;
    int before;  // opsets before this one; `always`: all
    Result<void> (*apply)(Draft& draft, const Rewrite& row);
    std::string_view attribute = {};
    std::size_t input = 0;
    std::string_view value = {};
};
constexpr int always = INT32_MAX;

/// A number like the elements of input 0.
Result<Tensor> like_input(const Draft& draft, const Rewrite& row, float value) {
    const ElementType element = draft.fact(0).type.element;
    if (element == ElementType::f32) return Tensor::of<float>({}, {value});
    if (element == ElementType::f16) return Tensor::of<f16>({}, {f16(value)});
    return wrong(fmt::format("Input 0 has elements of {}, and {} before opset {} takes floats.",
                             name(element), row.op, row.before));
}

Result<Tensor> tensor_of(const Draft& draft, const Rewrite& row, const Attribute& value) {
    const auto of_list = [](const auto& list) {
        using T = typename std::decay_t<decltype(list)>::value_type;
        return Tensor::of<T>({static_cast<std::int64_t>(list.size())}, std::span<const T>(list));
    };
    if (const auto* number = std::get_if<float>(&value)) return like_input(draft, row, *number);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return Tensor::of<std::int64_t>({1}, {*integer});
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) return of_list(*list);
    if (const auto* list = std::get_if<std::vector<float>>(&value)) return of_list(*list);
    return wrong(fmt::format("Its attribute {} is of kind {}.", row.attribute, name(kind(value))));
}

bool is_empty(const Attribute& value) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
    return list && list->empty();
}

/// Makes the attribute an input. An empty list makes none.
Result<void> to_input(Draft& draft, const Rewrite& row) {
    const std::optional<Attribute> value = draft.take(row.attribute);
    if (!value || is_empty(*value)) return {};
    if (draft.has(row.input)) {
        return wrong(
            fmt::format("It has an attribute {}, and an input {} as well.", row.attribute, row.input));
    }
    Tensor tensor = TRY(tensor_of(draft, row, *value));
    if (draft.inputs.size() <= row.input) draft.inputs.resize(row.input + 1);
    draft.inputs[row.input] = TRY(draft.constant(row.attribute, std::move(tensor)));
    return {};
}

/// The attribute may only have the value that it has here, where it isn't said.
Result<void> only(Draft& draft, const Rewrite& row) {
    const std::optional<Attribute> value = draft.take(row.attribute);
    if (!value) return {};
    std::string said = "of another kind";
    if (const auto* integer = std::get_if<std::int64_t>(&*value)) said = fmt::to_string(*integer);
    if (const auto* text = std::get_if<std::string>(&*value)) said = printable(*text);
    if (said == row.value) return {};
    return fail(ErrorCode::unsupported, fmt::format("Its attribute {} is {}, and only {} is supported here.",
                                                    row.attribute, said, row.value));
}

Result<void> leave_out(Draft& draft, const Rewrite& row) {
    draft.take(row.attribute);
    return {};
}

/// An optional input without elements stands for none.
Result<void> without_empty_inputs(Draft& draft, const Rewrite&) {
    for (std::size_t i = 1; i < draft.inputs.size(); ++i) {
        if (draft.has(i) && draft.fact(i).type.shape == Shape{0}) draft.inputs[i] = {};
    }
    return {};
}

Result<void> inference_only(Draft& draft, const Rewrite&) {
    if (draft.outputs.size() == 1) return {};
    return fail(ErrorCode::unsupported, "Its outputs of training are read, and training isn't supported.");
}

/// The mask had the data's type.
Result<void> mask_like_data(Draft& draft, const Rewrite&) {
    if (draft.outputs.size() < 2) return {};
    const std::int64_t type = info(draft.fact(0).type.element).onnx;
    NodeSpec spec{.op = Operator::dropout, .name = draft.name, .inputs = std::move(draft.inputs)};
    spec.outputs = {draft.outputs[0], draft.names.fresh(draft.outputs[1] + ".bool")};
    const std::vector<ValueId> made = TRY(draft.builder.node(std::move(spec)));
    draft.op = "Cast";
    draft.inputs = {made[1]};
    draft.outputs = {draft.outputs[1]};
    draft.attributes = {{"to", type}};
    return {};
}

/// Equal parts, as many as outputs.
Result<void> count_parts(Draft& draft, const Rewrite&) {
    if (!draft.has(1)) draft.set("num_outputs", static_cast<std::int64_t>(draft.outputs.size()));
    return {};
}

std::size_t other_than_one(const Shape& shape, std::size_t first) {
    return static_cast<std::size_t>(
        std::count_if(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end(),
                      [](const Dimension& size) { return size != Dimension(1); }));
}

/// All axes from `axis` on were one. Along a single axis it is the same if the others of these are 1.
Result<void> flattened_softmax(Draft& draft, const Rewrite&) {
    const Attribute* said = draft.find("axis");
    if (said && !std::holds_alternative<std::int64_t>(*said)) return {};  // which the schema refuses
    std::int64_t axis = said ? std::get<std::int64_t>(*said) : 1;
    const Shape shape = draft.fact(0).type.shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (axis < -rank || axis > rank)
        return wrong(fmt::format("The axis {} is outside of {} axes.", axis, rank));
    if (axis < 0) axis += rank;
    const auto first = static_cast<std::size_t>(axis);
    if (axis < rank && other_than_one(shape, first) <= 1) {
        std::size_t only_axis = first;
        for (std::size_t i = first; i < shape.size(); ++i) {
            if (shape[i] != Dimension(1)) only_axis = i;
        }
        draft.set("axis", static_cast<std::int64_t>(only_axis) - rank);
        return {};
    }
    const ValueId sizes = TRY(draft.before(Operator::shape, {draft.inputs[0]}, "shape"));
    const ValueId flat = TRY(draft.before(Operator::flatten, {draft.inputs[0]}, "flat", {{"axis", axis}}));
    const ValueId softmax = TRY(draft.before(Operator::softmax, {flat}, "softmax"));
    draft.op = "Reshape";
    draft.inputs = {softmax, sizes};
    draft.attributes = {{"allowzero", std::int64_t{1}}};
    return {};
}

/// How Resize rounded before opset 11: down, and up along axes that shrink.
Result<std::string> simple_rounding(const Draft& draft) {
    if (!draft.has(1) || !draft.fact(1).constant || draft.fact(1).type.element != ElementType::f32) {
        return std::string("floor");
    }
    const std::vector<float> scales = floats(*draft.fact(1).constant);
    const bool shrinks = std::ranges::any_of(scales, [](float scale) { return scale < 1; });
    if (shrinks && std::ranges::any_of(scales, [](float scale) { return scale > 1; })) {
        return fail(ErrorCode::unsupported,
                    "It shrinks one axis and stretches another, which before opset 11 round "
                    "otherwise, and isn't supported.");
    }
    return std::string(shrinks ? "ceil" : "floor");
}

/// Resize before opset 11, and Upsample: scales are input 1, and positions are multiplied.
Result<void> simple_resize(Draft& draft, const Rewrite&) {
    std::string rounding = TRY(simple_rounding(draft));
    draft.op = "Resize";
    if (draft.inputs.size() == 2) draft.inputs = {draft.inputs[0], ValueId{}, draft.inputs[1]};
    draft.set("coordinate_transformation_mode", std::string("asymmetric"));
    draft.set("nearest_mode", std::move(rounding));
    return {};
}

// Operators that graphs here don't have, made of others as ONNX defines them.

Result<void> cast_like(Draft& draft, const Rewrite&) {
    if (!draft.has(1)) return wrong("Input 1, whose type it takes, is missing.");
    const std::int64_t type = info(draft.fact(1).type.element).onnx;
    draft.op = "Cast";
    draft.inputs.resize(1);
    draft.set("to", type);
    return {};
}

/// The number of elements: the size of all axes made one.
Result<void> size(Draft& draft, const Rewrite&) {
    const ValueId one_axis = TRY(draft.constant("one_axis", Tensor::of<std::int64_t>({1}, {-1})));
    const ValueId flat = TRY(draft.before(Operator::reshape, {draft.inputs[0], one_axis}, "flat"));
    draft.inputs = {TRY(draft.before(Operator::shape, {flat}, "shape"))};
    draft.op = "Squeeze";
    return {};
}

Result<void> exclusive_or(Draft& draft, const Rewrite&) {
    if (draft.fact(0).type.element != ElementType::boolean) return wrong("Its inputs aren't bool.");
    draft.inputs = {TRY(draft.before(Operator::equal, draft.inputs, "equal"))};
    draft.op = "Not";
    return {};
}

/// The sum over the number of inputs.
Result<void> mean(Draft& draft, const Rewrite& row) {
    const auto count = static_cast<float>(draft.inputs.size());
    const ValueId sum = TRY(draft.before(Operator::sum, draft.inputs, "sum"));
    draft.inputs = {sum, TRY(draft.constant("count", TRY(like_input(draft, row, count))))};
    draft.op = "Div";
    return {};
}

/// d - log(sum(exp(d))), d = x - max(x), along one axis.
Result<void> log_softmax(Draft& draft, const Rewrite&) {
    const auto rank = static_cast<std::int64_t>(draft.fact(0).type.shape.size());
    const std::optional<Attribute> said = draft.take("axis");
    const auto* given = said ? std::get_if<std::int64_t>(&*said) : nullptr;
    if (said && !given) return wrong("Its attribute axis isn't an integer.");
    const std::int64_t axis = given ? *given : draft.opset < 13 ? 1 : -1;
    if (draft.opset < 13 && axis != -1 && axis != rank - 1) {
        return fail(ErrorCode::unsupported,
                    fmt::format("Its axis is {} of {}; before opset 13, only the last one is supported.",
                                axis, rank));
    }
    const ValueId axes = TRY(draft.constant("axes", Tensor::of<std::int64_t>({1}, {axis})));
    const ValueId largest = TRY(draft.before(Operator::reduce_max, {draft.inputs[0], axes}, "max"));
    const ValueId difference = TRY(draft.before(Operator::sub, {draft.inputs[0], largest}, "difference"));
    const ValueId exp = TRY(draft.before(Operator::exp, {difference}, "exp"));
    const ValueId sum = TRY(draft.before(Operator::reduce_sum, {exp, axes}, "sum"));
    draft.inputs = {difference, TRY(draft.before(Operator::log, {sum}, "log"))};
    draft.op = "Sub";
    return {};
}

/// A reduction of what `row.value` makes of the elements: Abs, or Mul of each with itself.
Result<void> reduced(Draft& draft, const Rewrite& row) {
    const ValueId x = draft.inputs[0];
    const bool squares = row.value == "Mul";
    draft.inputs[0] = TRY(draft.before(squares ? Operator::mul : Operator::abs,
                                       squares ? std::vector{x, x} : std::vector{x}, "elements"));
    draft.op = "ReduceSum";
    return {};
}

Result<void> log_of_sum(Draft& draft, const Rewrite&) {
    draft.inputs = {
        TRY(draft.before(Operator::reduce_sum, draft.inputs, "sum", std::move(draft.attributes)))};
    draft.attributes.clear();
    draft.op = "Log";
    return {};
}

/// x / (1 + |x|).
Result<void> softsign(Draft& draft, const Rewrite& row) {
    const ValueId size = TRY(draft.before(Operator::abs, {draft.inputs[0]}, "abs"));
    const ValueId one = TRY(draft.constant("one", TRY(like_input(draft, row, 1))));
    draft.inputs.push_back(TRY(draft.before(Operator::add, {one, size}, "sum")));
    draft.op = "Div";
    return {};
}

/// x * sigmoid(alpha * x).
Result<void> swish(Draft& draft, const Rewrite& row) {
    const std::optional<Attribute> said = draft.take("alpha");
    const auto* alpha = said ? std::get_if<float>(&*said) : nullptr;
    if (said && !alpha) return wrong("Its attribute alpha isn't a float.");
    const ValueId factor = TRY(draft.constant("alpha", TRY(like_input(draft, row, alpha ? *alpha : 1))));
    const ValueId scaled = TRY(draft.before(Operator::mul, {factor, draft.inputs[0]}, "scaled"));
    draft.inputs.push_back(TRY(draft.before(Operator::sigmoid, {scaled}, "sigmoid")));
    draft.op = "Mul";
    return {};
}

/// x * tanh(softplus(x)).
Result<void> mish(Draft& draft, const Rewrite&) {
    const ValueId softplus = TRY(draft.before(Operator::softplus, {draft.inputs[0]}, "softplus"));
    draft.inputs.push_back(TRY(draft.before(Operator::tanh, {softplus}, "tanh")));
    draft.op = "Mul";
    return {};
}

// clang-format off
constexpr std::array table{
    Rewrite{"BatchNormalization", 14, inference_only},
    Rewrite{"BatchNormalization", 9, only, "spatial", 0, "1"},
    Rewrite{"BatchNormalization", always, only, "training_mode", 0, "0"},
    Rewrite{"Cast", always, leave_out, "round_mode"},  // it concerns types that graphs here don't have
    Rewrite{"CastLike", always, leave_out, "round_mode"},
    Rewrite{"CastLike", always, cast_like},
    Rewrite{"Clip", 11, to_input, "min", 1},
    Rewrite{"Clip", 11, to_input, "max", 2},
    Rewrite{"Dropout", 12, to_input, "ratio", 1},
    Rewrite{"Dropout", 10, mask_like_data},
    Rewrite{"LogSoftmax", always, log_softmax},
    Rewrite{"Mean", always, mean},
    Rewrite{"Mish", always, mish},
    Rewrite{"Pad", 11, to_input, "pads", 1},
    Rewrite{"Pad", 11, to_input, "value", 2},
    Rewrite{"QuantizeLinear", always, only, "precision", 0, "0"},
    Rewrite{"Range", always, only, "stash_type", 0, "1"},
    Rewrite{"ReduceL1", 18, to_input, "axes", 1},
    Rewrite{"ReduceL1", always, reduced, {}, 0, "Abs"},
    Rewrite{"ReduceL2", 18, to_input, "axes", 1},
    Rewrite{"ReduceLogSum", 18, to_input, "axes", 1},
    Rewrite{"ReduceLogSum", always, log_of_sum},
    Rewrite{"ReduceMax", 18, to_input, "axes", 1},
    Rewrite{"ReduceMean", 18, to_input, "axes", 1},
    Rewrite{"ReduceMin", 18, to_input, "axes", 1},
    Rewrite{"ReduceSum", 13, to_input, "axes", 1},
    Rewrite{"ReduceSumSquare", 18, to_input, "axes", 1},
    Rewrite{"ReduceSumSquare", always, reduced, {}, 0, "Mul"},
    Rewrite{"Resize", 11, simple_resize},
    Rewrite{"Resize", always, without_empty_inputs},
    Rewrite{"Size", always, size},
    Rewrite{"Slice", 10, to_input, "starts", 1},
    Rewrite{"Slice", 10, to_input, "ends", 2},
    Rewrite{"Slice", 10, to_input, "axes", 3},
    Rewrite{"Softmax", 13, flattened_softmax},
    Rewrite{"Softsign", always, softsign},
    Rewrite{"Split", 13, to_input, "split", 1},
    Rewrite{"Split", 18, count_parts},
    Rewrite{"Squeeze", 13, to_input, "axes", 1},
    Rewrite{"Swish", always, swish},
    Rewrite{"TopK", 10, to_input, "k", 1},
    Rewrite{"Unsqueeze", 13, to_input, "axes", 1},
    Rewrite{"Upsample", 9, to_input, "scales", 1},
    Rewrite{"Upsample", always, simple_resize},
    Rewrite{"Xor", always, exclusive_or},
};
// clang-format on
static_assert(std::ranges::is_sorted(table, {}, &Rewrite::op));

/// Operators that graphs here don't have: each has a row that applies always and puts another in its place.
constexpr std::array others{std::string_view("CastLike"),
                            std::string_view("LogSoftmax"),
                            std::string_view("Mean"),
                            std::string_view("Mish"),
                            std::string_view("ReduceL1"),
                            std::string_view("ReduceLogSum"),
                            std::string_view("ReduceSumSquare"),
                            std::string_view("Size"),
                            std::string_view("Softsign"),
                            std::string_view("Swish"),
                            std::string_view("Upsample"),
                            std::string_view("Xor")};

}  // namespace

bool becomes_others(std::string_view op) { return std::ranges::find(others, op) != others.end(); }

Result<void> rewrite(Draft& draft) {
    // The rows of the operator that the file has: a rewrite may have put another one in its place.
    for (const Rewrite& row : std::ranges::equal_range(table, draft.op, {}, &Rewrite::op)) {
        if (draft.opset < row.before) TRY(row.apply(draft, row));
    }
    return {};
}

}  // namespace muster::graph::onnx
