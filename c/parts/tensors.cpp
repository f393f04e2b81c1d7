#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/c/muster.h>
#include <muster/c/parts/tensors.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c {
namespace {

struct Row {
    graph::ElementType type;
    std::uint32_t number;
};
constexpr std::array rows{
    Row{graph::ElementType::f32, MUSTER_F32},     Row{graph::ElementType::f16, MUSTER_F16},
    Row{graph::ElementType::i8, MUSTER_I8},       Row{graph::ElementType::u8, MUSTER_U8},
    Row{graph::ElementType::i32, MUSTER_I32},     Row{graph::ElementType::i64, MUSTER_I64},
    Row{graph::ElementType::boolean, MUSTER_BOOL}};
static_assert(rows.size() == graph::element_type_count);

std::uint32_t number_of(graph::ElementType type) { return std::ranges::find(rows, type, &Row::type)->number; }

}  // namespace

Result<graph::Tensor> tensor_of(const HostTensor& tensor) {
    const auto row = std::ranges::find(rows, tensor.element, &Row::number);
    if (row == rows.end())
        return fail(ErrorCode::unsupported,
                    fmt::format("Tensors of models have no elements of the type {}.", tensor.element),
                    "convert it to f32, f16, i8, u8, i32, i64 or bool");
    return graph::Tensor::over(row->type, tensor.sizes, {tensor.data, tensor.bytes});
}

Result<std::vector<graph::Tensor>> tensors_of(std::span<const HostTensor> tensors) {
    std::vector<graph::Tensor> all;
    for (const HostTensor& one : tensors) all.push_back(TRY(tensor_of(one)));
    return all;
}

std::vector<HostTensor> host_tensors(std::vector<graph::Tensor> tensors) {
    std::vector<HostTensor> all;
    for (graph::Tensor& one : tensors) {
        const auto kept = std::make_shared<const graph::Tensor>(std::move(one));
        const std::span<const std::byte> bytes = kept->bytes();
        all.push_back({number_of(kept->element()),
                       {kept->sizes().begin(), kept->sizes().end()},
                       {kept, bytes.data()},
                       bytes.size()});
    }
    return all;
}

ModelEnd end_of(const graph::Value& value) {
    ModelEnd end{.element = number_of(value.type.element), .name = value.name, .type = to_string(value.type)};
    for (const graph::Dimension& size : value.type.shape) {
        end.sizes.push_back(size.known().value_or(-1));
        end.texts.push_back(to_string(size));
    }
    return end;
}

}  // namespace muster::c
