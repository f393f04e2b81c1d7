#include <muster/graph/ir/operator.hpp>
#include <muster/graph/ir/operator_row.hpp>

namespace muster::graph {
namespace {

constexpr std::string_view window =
    "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints strides:ints";
constexpr std::string_view one = "X:T -> Y:T", two = "A:T B:T -> C:T", several = "data*:T -> result:T";
constexpr std::string_view comparison = "A:T B:T -> C:bool";
constexpr std::string_view reduction = "data:T axes!?:i64 -> reduced:T",
                           how_to_reduce = "keepdims:int=1 noop_with_empty_axes:int=0";

// clang-format off
constexpr std::array<OperatorInfo, operator_count> table{{
    //  operator, name, since, form, inputs -> outputs, attributes, element types, what it is
    row(Operator::abs, "Abs", 7, 13, one, "", "T real", "elementwise"),
    row(Operator::neg, "Neg", 7, 13, one, "", "T signed", "elementwise"),
    row(Operator::floor, "Floor", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::ceil, "Ceil", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::sqrt, "Sqrt", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::exp, "Exp", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::log, "Log", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::sin, "Sin", 7, 22, one, "", "T float", "elementwise"),
    row(Operator::cos, "Cos", 7, 22, one, "", "T float", "elementwise"),
    row(Operator::tanh, "Tanh", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::erf, "Erf", 9, 13, one, "", "T float", "elementwise"),
    row(Operator::reciprocal, "Reciprocal", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::sigmoid, "Sigmoid", 7, 13, one, "", "T float", "elementwise"),
    row(Operator::hard_sigmoid, "HardSigmoid", 7, 22, one, "alpha:float=0.2 beta:float=0.5", "T float", "elementwise"),
    row(Operator::hard_swish, "HardSwish", 14, 22, one, "", "T float", "elementwise"),
    row(Operator::relu, "Relu", 7, 14, one, "", "T signed", "elementwise"),
    row(Operator::leaky_relu, "LeakyRelu", 7, 16, one, "alpha:float=0.01", "T float", "elementwise"),
    row(Operator::elu, "Elu", 7, 22, one, "alpha:float=1", "T float", "elementwise"),
    row(Operator::softplus, "Softplus", 7, 22, one, "", "T float", "elementwise"),
    row(Operator::gelu, "Gelu", 20, 20, one, "approximate:string=none", "T float", "elementwise"),
    row(Operator::logical_not, "Not", 7, 7, "X:bool -> Y:bool", "", "", "elementwise"),
    row(Operator::identity, "Identity", 7, 25, one, "", "T any", "elementwise view"),
    row(Operator::dropout, "Dropout", 7, 22, "data:T ratio?:F training_mode?:bool -> output:T mask?:bool", "seed:int",
        "T float, F float", "elementwise view"),
    row(Operator::cast, "Cast", 7, 25, "input:T -> output:U", "to:int! saturate:int=1", "T any, U any", "elementwise"),
    row(Operator::clip, "Clip", 7, 13, "input:T min?:T max?:T -> output:T", "", "T real", "elementwise"),

    row(Operator::add, "Add", 7, 14, two, "", "T real", "elementwise"),
    row(Operator::sub, "Sub", 7, 14, two, "", "T real", "elementwise"),
    row(Operator::mul, "Mul", 7, 14, two, "", "T real", "elementwise"),
    row(Operator::div, "Div", 7, 14, two, "", "T real", "elementwise"),
    row(Operator::pow, "Pow", 7, 15, "X:T Y:U -> Z:T", "", "T wide, U real", "elementwise"),
    row(Operator::prelu, "PRelu", 7, 16, "X:T slope:T -> Y:T", "", "T wide", "elementwise"),
    row(Operator::logical_and, "And", 7, 7, "A:bool B:bool -> C:bool", "", "", "elementwise"),
    row(Operator::logical_or, "Or", 7, 7, "A:bool B:bool -> C:bool", "", "", "elementwise"),
    row(Operator::equal, "Equal", 7, 19, comparison, "", "T any", "elementwise"),
    row(Operator::greater, "Greater", 7, 13, comparison, "", "T real", "elementwise"),
    row(Operator::greater_or_equal, "GreaterOrEqual", 12, 16, comparison, "", "T real", "elementwise"),
    row(Operator::less, "Less", 7, 13, comparison, "", "T real", "elementwise"),
    row(Operator::less_or_equal, "LessOrEqual", 12, 16, comparison, "", "T real", "elementwise"),
    row(Operator::where, "Where", 9, 16, "condition:bool X:T Y:T -> output:T", "", "T any", "elementwise"),
    row(Operator::min, "Min", 7, 13, several, "", "T real", "elementwise"),
    row(Operator::max, "Max", 7, 13, several, "", "T real", "elementwise"),
    row(Operator::sum, "Sum", 7, 13, several, "", "T float", "elementwise"),

    row(Operator::matmul, "MatMul", 7, 13, "A:T B:T -> Y:T", "", "T wide", "product"),
    row(Operator::gemm, "Gemm", 7, 13, "A:T B:T C?:T -> Y:T", "alpha:float=1 beta:float=1 transA:int=0 transB:int=0", "T wide", "product"),
    row(Operator::conv, "Conv", 7, 22, "X:T W:T B?:T -> Y:T", window, "T float", "product spatial"),
    row(Operator::conv_transpose, "ConvTranspose", 7, 22, "X:T W:T B?:T -> Y:T",
        "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints output_padding:ints output_shape:ints pads:ints strides:ints",
        "T float", "product spatial"),
    row(Operator::einsum, "Einsum", 12, 28, "Inputs*:T -> Output:T", "equation:string!", "T wide"),
    row(Operator::attention, "Attention", 23, 25,
        "Q:T K:T V:U attn_mask?:M past_key?:T past_value?:U nonpad_kv_seqlen?:i64 "
        "-> Y:T present_key?:T present_value?:U qk_matmul_output?:T",
        "is_causal:int=0 kv_num_heads:int left_window_size:int=-1 q_num_heads:int qk_matmul_output_mode:int=0 "
        "right_window_size:int=-1 scale:float softcap:float=0 softmax_precision:int", "T float, U float, M mask"),
    row(Operator::gru, "GRU", 7, 22, "X:T W:T R:T B?:T sequence_lens?:i32 initial_h?:T -> Y?:T Y_h?:T",
        "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string=forward hidden_size:int "
        "layout:int=0 linear_before_reset:int=0", "T float"),
    row(Operator::lstm, "LSTM", 7, 22,
        "X:T W:T R:T B?:T sequence_lens?:i32 initial_h?:T initial_c?:T P?:T -> Y?:T Y_h?:T Y_c?:T",
        "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string=forward hidden_size:int "
        "input_forget:int=0 layout:int=0", "T float"),

    row(Operator::max_pool, "MaxPool", 7, 22, "X:T -> Y:T Indices?:i64",
        "auto_pad:string=NOTSET ceil_mode:int=0 dilations:ints kernel_shape:ints! pads:ints storage_order:int=0 strides:ints",
        "T pooled", "spatial"),
    row(Operator::average_pool, "AveragePool", 7, 22, one,
        "auto_pad:string=NOTSET ceil_mode:int=0 count_include_pad:int=0 dilations:ints kernel_shape:ints! pads:ints strides:ints",
        "T float", "spatial"),
    row(Operator::global_average_pool, "GlobalAveragePool", 7, 22, one, "", "T float", "spatial"),
    row(Operator::global_max_pool, "GlobalMaxPool", 7, 22, one, "", "T float", "spatial"),

    row(Operator::batch_normalization, "BatchNormalization", 7, 15, "X:T scale:F B:F input_mean:G input_var:G -> Y:T",
        "epsilon:float=1e-05 momentum:float=0.9", "T float, F float, G float", "spatial"),
    row(Operator::layer_normalization, "LayerNormalization", 17, 17, "X:T Scale:T B?:T -> Y:T Mean?:f32 InvStdDev?:f32",
        "axis:int=-1 epsilon:float=1e-05 stash_type:int=1", "T float"),
    row(Operator::instance_normalization, "InstanceNormalization", 7, 22, "input:T scale:T B:T -> output:T",
        "epsilon:float=1e-05", "T float", "spatial"),
    row(Operator::lrn, "LRN", 7, 13, one, "alpha:float=0.0001 beta:float=0.75 bias:float=1 size:int!", "T float", "spatial"),
    row(Operator::softmax, "Softmax", 7, 13, one, "axis:int=-1", "T float"),

    row(Operator::reduce_mean, "ReduceMean", 7, 18, reduction, how_to_reduce, "T wide"),
    row(Operator::reduce_sum, "ReduceSum", 7, 13, reduction, how_to_reduce, "T wide"),
    row(Operator::reduce_max, "ReduceMax", 7, 20, reduction, how_to_reduce, "T any", "moves"),
    row(Operator::reduce_min, "ReduceMin", 7, 20, reduction, how_to_reduce, "T any", "moves"),
    row(Operator::reduce_l2, "ReduceL2", 7, 18, reduction, how_to_reduce, "T wide"),
    row(Operator::arg_max, "ArgMax", 7, 13, "data:T -> reduced:i64", "axis:int=0 keepdims:int=1 select_last_index:int=0", "T real"),
    row(Operator::top_k, "TopK", 7, 24, "X:T K!:i64 -> Values:T Indices:i64", "axis:int=-1 largest:int=1 sorted:int=1", "T real", "moves"),
    row(Operator::cum_sum, "CumSum", 11, 14, "x:T axis!:I -> y:T", "exclusive:int=0 reverse:int=0", "T wide, I index"),

    row(Operator::concat, "Concat", 7, 13, several, "axis:int!", "T any"),
    row(Operator::split, "Split", 7, 18, "input:T split!?:i64 -> outputs*:T", "axis:int=0 num_outputs:int", "T any", "view"),
    row(Operator::slice, "Slice", 7, 13, "data:T starts!:I ends!:I axes!?:I steps!?:I -> output:T", "", "T any, I index", "view"),
    row(Operator::gather, "Gather", 7, 13, "data:T indices:I -> output:T", "axis:int=0", "T any, I index", "moves"),
    row(Operator::gather_elements, "GatherElements", 11, 13, "data:T indices:I -> output:T", "axis:int=0", "T any, I index", "moves"),
    row(Operator::gather_nd, "GatherND", 11, 13, "data:T indices:i64 -> output:T", "batch_dims:int=0", "T any", "moves"),
    row(Operator::scatter_nd, "ScatterND", 11, 18, "data:T indices:i64 updates:T -> output:T", "reduction:string=none", "T any"),
    row(Operator::transpose, "Transpose", 7, 25, one, "perm:ints", "T any", "view"),
    row(Operator::reshape, "Reshape", 7, 25, "data:T shape!:i64 -> reshaped:T", "allowzero:int=0", "T any", "view"),
    row(Operator::flatten, "Flatten", 7, 25, one, "axis:int=1", "T any", "view"),
    row(Operator::squeeze, "Squeeze", 7, 25, "data:T axes!?:i64 -> squeezed:T", "", "T any", "view"),
    row(Operator::unsqueeze, "Unsqueeze", 7, 25, "data:T axes!:i64 -> expanded:T", "", "T any", "view"),
    row(Operator::expand, "Expand", 8, 13, "input:T shape!:i64 -> output:T", "", "T any", "view"),
    row(Operator::tile, "Tile", 7, 13, "input:T repeats!:i64 -> output:T", "", "T any", "moves"),
    row(Operator::pad, "Pad", 7, 25, "data:T pads!:i64 constant_value?:T axes!?:I -> output:T", "mode:string=constant",
        "T any, I index"),
    row(Operator::trilu, "Trilu", 14, 14, "input:T k!?:i64 -> output:T", "upper:int=1", "T any"),
    row(Operator::depth_to_space, "DepthToSpace", 7, 13, one, "blocksize:int! mode:string=DCR", "T any", "spatial moves"),
    row(Operator::one_hot, "OneHot", 9, 11, "indices:T depth!:U values:V -> output:V", "axis:int=-1", "T real, U real, V any"),

    row(Operator::resize, "Resize", 10, 19, "X:T roi!?:R scales!?:f32 sizes!?:i64 -> Y:T",
        "antialias:int=0 axes:ints coordinate_transformation_mode:string=half_pixel cubic_coeff_a:float=-0.75 "
        "exclude_outside:int=0 extrapolation_value:float=0 keep_aspect_ratio_policy:string=stretch mode:string=nearest "
        "nearest_mode:string=round_prefer_floor", "T any, R float", "spatial"),

    row(Operator::shape, "Shape", 7, 25, "data:T -> shape:i64", "end:int start:int=0", "T any"),
    row(Operator::constant_of_shape, "ConstantOfShape", 9, 25, "input!:i64 -> output:U", "value:tensor", "U any"),
    row(Operator::range, "Range", 11, 11, "start!:T limit!:T delta!:T -> output:T", "", "T wide"),

    row(Operator::quantize_linear, "QuantizeLinear", 10, 23, "x:T y_scale:S y_zero_point?:U -> y:U",
        "axis:int=1 block_size:int=0 output_dtype:int=0 saturate:int=1", "T quantizable, S float, U byte"),
    row(Operator::dequantize_linear, "DequantizeLinear", 10, 23, "x:T x_scale:S x_zero_point?:T -> y:S",
        "axis:int=1 block_size:int=0 output_dtype:int=0", "T quantized, S float"),
    row(Operator::dynamic_quantize_linear, "DynamicQuantizeLinear", 11, 11, "x:f32 -> y:u8 y_scale:f32 y_zero_point:u8", "", ""),
    row(Operator::matmul_integer, "MatMulInteger", 10, 10, "A:T B:U a_zero_point?:T b_zero_point?:U -> Y:i32", "",
        "T byte, U byte"),
    row(Operator::qlinear_matmul, "QLinearMatMul", 10, 21,
        "a:T a_scale:S a_zero_point:T b:U b_scale:S b_zero_point:U y_scale:S y_zero_point:V -> y:V", "",
        "T byte, U byte, V byte, S float"),
    row(Operator::qlinear_conv, "QLinearConv", 10, 10,
        "x:T x_scale:f32 x_zero_point:T w:U w_scale:f32 w_zero_point:U y_scale:f32 y_zero_point:V B?:i32 -> y:V", window,
        "T byte, U byte, V byte", "spatial"),
}};
// clang-format on

static_assert([] {
    for (std::size_t i = 0; i < operator_count; ++i) {
        if (static_cast<std::size_t>(table[i].op) != i) return false;
    }
    return true;
}());

std::size_t fewest(std::span<const Port> ports) {
    std::size_t count = ports.size();
    while (count > 0 && ports[count - 1].optional) --count;
    return count;
}
std::size_t most(std::span<const Port> ports) { return ports.back().variadic ? SIZE_MAX : ports.size(); }

}  // namespace

const AttributeInfo* OperatorInfo::attribute(std::string_view attribute_name) const {
    for (const AttributeInfo& row : attributes.all()) {
        if (row.name == attribute_name) return &row;
    }
    return nullptr;
}

std::size_t OperatorInfo::fewest_inputs() const { return fewest(inputs.all()); }
std::size_t OperatorInfo::most_inputs() const { return most(inputs.all()); }
std::size_t OperatorInfo::fewest_outputs() const { return fewest(outputs.all()); }
std::size_t OperatorInfo::most_outputs() const { return most(outputs.all()); }

std::span<const OperatorInfo> operators() { return table; }

std::optional<Operator> operator_by_name(std::string_view name) {
    for (const OperatorInfo& row : table) {
        if (row.name == name) return row.op;
    }
    return std::nullopt;
}

}  // namespace muster::graph
