#include <algorithm>
#include <bit>
#include <cmath>

#include <muster/graph/kernel_text/kernel_text.hpp>

namespace muster::graph {
namespace {

std::string_view array_element(ElementType element) {
    if (element == ElementType::f32) return "f32";
    return element == ElementType::f16 ? "f16" : "i32";
}

/// An axis of an index space; several that are one in all operands' memory are merged.
struct MergedAxis {
    std::int64_t size = 1;
    Sizes strides;  // of each operand
    std::size_t axis = 0;
};

std::vector<MergedAxis> merged_axes(std::span<const Storage* const> operands, const Storage& inner,
                                    bool keep_apart) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < inner.sizes.size(); ++i)
        if (inner.sizes[i] != 1) order.push_back(i);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::abs(inner.strides[a]) > std::abs(inner.strides[b]);
    });
    std::vector<MergedAxis> merged;
    for (const std::size_t axis : order) {
        MergedAxis next{.size = inner.sizes[axis], .axis = axis};
        for (const Storage* const operand : operands) next.strides.push_back(operand->strides[axis]);
        const auto continues = [&](const MergedAxis& outer) {
            for (std::size_t i = 0; i < operands.size(); ++i)
                if (outer.strides[i] != next.strides[i] * next.size) return false;
            return true;
        };
        if (keep_apart || merged.empty() || !continues(merged.back())) {
            merged.push_back(std::move(next));
            continue;
        }
        merged.back().size *= next.size;
        merged.back().strides = std::move(next.strides);
    }
    return merged;
}

}  // namespace

std::string index_literal(std::int64_t value) {
    return fmt::format("{}u", static_cast<std::uint32_t>(value));
}

Storage broadcast_to(Storage storage, const Sizes& sizes) {
    Sizes strides(sizes.size(), 0);
    const std::size_t missing = sizes.size() - storage.sizes.size();
    for (std::size_t i = 0; i < storage.sizes.size(); ++i)
        if (storage.sizes[i] != 1) strides[missing + i] = storage.strides[i];
    storage.sizes = sizes;
    storage.strides = std::move(strides);
    return storage;
}

std::string offset_of(std::span<const std::string> indices, const Sizes& strides, std::int64_t offset) {
    std::string sum;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (strides[i] == 0 || indices[i] == "0u") continue;
        if (!sum.empty()) sum += " + ";
        sum += strides[i] == 1 ? indices[i] : fmt::format("{} * {}", indices[i], index_literal(strides[i]));
    }
    if (sum.empty()) return index_literal(offset);
    return offset == 0 ? sum : fmt::format("{} + {}", sum, index_literal(offset));
}

std::string literal(float value, KernelText& text) {
    if (std::isfinite(value)) return fmt::format("f32({:a}f)", value);
    text.function("fn from_bits(bits: u32) -> f32 { return bitcast<f32>(bits); }");
    return fmt::format("from_bits({}u)", std::bit_cast<std::uint32_t>(value));
}

std::string literal(const Tensor& constant, KernelText& text) {
    if (is_float(constant.element())) return literal(floats(constant)[0], text);
    return fmt::format("i32({})", integers(constant)[0]);
}

OperandId KernelText::operand(const Storage& storage) {
    operands_.push_back(storage);
    const auto same = std::ranges::find(bound_, storage.place, &Storage::place);
    bindings_.push_back(static_cast<std::size_t>(same - bound_.begin()));
    if (same == bound_.end()) {
        bound_.push_back(storage);
        stored_.push_back(false);
    }
    return {operands_.size() - 1};
}

std::string KernelText::binding(OperandId id) const { return fmt::format("t{}", bindings_[id.index]); }

std::string KernelText::load(OperandId id, std::string_view offset) {
    const std::string element = fmt::format("{}[{}]", binding(id), offset);
    return operands_[id.index].element == ElementType::f16 ? fmt::format("f32({})", element) : element;
}

void KernelText::store(OperandId id, std::string_view offset, std::string_view value) {
    stored_[bindings_[id.index]] = true;
    if (operands_[id.index].element == ElementType::f16)
        line("{}[{}] = f16({});", binding(id), offset, value);
    else
        line("{}[{}] = {};", binding(id), offset, value);
}

void KernelText::line(std::string_view text) {
    body_ += "    ";
    body_ += text;
    body_ += '\n';
}

std::string KernelText::let(std::string_view expression) {
    std::string name = fmt::format("v{}", names_++);
    line("let {} = {};", name, expression);
    return name;
}

void KernelText::each(std::int64_t count) {
    line("let i = id.x;");
    line("if i >= {} {{ return; }}", index_literal(count));
    workgroups_ = static_cast<std::uint32_t>((count + lanes_ - 1) / lanes_);
}

std::vector<std::string> KernelText::indices_of(std::string position, const Sizes& sizes) {
    std::vector<std::string> indices(sizes.size(), "0u");
    std::int64_t left = product(sizes);  // positions are below it
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] == 1) continue;
        if (left == sizes[i]) {
            indices[i] = position;
            break;
        }
        left /= std::max<std::int64_t>(sizes[i], 1);
        indices[i] = let(fmt::format("{} % {}", position, index_literal(sizes[i])));
        position = let(fmt::format("{} / {}", position, index_literal(sizes[i])));
    }
    return indices;
}

std::vector<std::string> KernelText::each_element(std::span<const OperandId> operands, OperandId inner,
                                                  std::vector<std::string>* indices) {
    std::vector<const Storage*> storages;
    for (const OperandId id : operands) storages.push_back(&storage(id));
    const std::vector<MergedAxis> merged = merged_axes(storages, storage(inner), indices != nullptr);
    each(storage(inner).count());
    std::vector<std::string> names(merged.size());
    std::int64_t below = 1;
    for (std::size_t i = merged.size(); i-- > 0; below *= merged[i].size) {
        std::string index = below == 1 ? "i" : fmt::format("i / {}", index_literal(below));
        if (i > 0) index = fmt::format("{} % {}", index, index_literal(merged[i].size));
        names[i] = index == "i" ? index : let(index);
    }
    if (indices) {
        indices->assign(storage(inner).sizes.size(), "0u");
        for (std::size_t i = 0; i < merged.size(); ++i) (*indices)[merged[i].axis] = names[i];
    }
    std::vector<std::string> offsets;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        Sizes strides;
        for (const MergedAxis& axis : merged) strides.push_back(axis.strides[operand]);
        offsets.push_back(let(offset_of(names, strides, storages[operand]->offset)));
    }
    return offsets;
}

KernelStep KernelText::finish() && { return std::move(*this).finish({workgroups_, 1, 1}); }

KernelStep KernelText::finish(std::array<std::uint32_t, 3> workgroups) && {
    KernelStep step{.workgroups = workgroups};
    std::string head;
    for (const Storage& storage : bound_)
        if (storage.element == ElementType::f16) head = "enable f16;\n";
    for (std::size_t i = 0; i < bound_.size(); ++i) {
        head += fmt::format("@group(0) @binding({0}) var<storage, {1}> t{0}: array<{2}>;\n", i,
                            stored_[i] ? "read_write" : "read", array_element(bound_[i].element));
        step.bindings.push_back({fmt::format("t{}", i), bound_[i].place});
    }
    for (const std::string& function : functions_) head += function + "\n";
    step.wgsl = fmt::format(
        "{}@compute @workgroup_size({})\nfn main(@builtin(global_invocation_id) id: vec3u, "
        "@builtin(workgroup_id) group: "
        "vec3u, @builtin(local_invocation_index) lane: u32) {{\n{}}}\n",
        head, lanes_, body_);
    return step;
}

}  // namespace muster::graph
