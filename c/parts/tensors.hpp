// tensors.hpp - tensors of graphs from and to those of the interface; both share the bytes. Threads: pure.
#pragma once

#include <vector>

#include <muster/c/parts.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::c {

/// Errors: unsupported (the type of elements), those of graph::Tensor::over.
Result<graph::Tensor> tensor_of(const HostTensor& tensor);
Result<std::vector<graph::Tensor>> tensors_of(std::span<const HostTensor> tensors);
std::vector<HostTensor> host_tensors(std::vector<graph::Tensor> tensors);

ModelEnd end_of(const graph::Value& value);

}  // namespace muster::c
