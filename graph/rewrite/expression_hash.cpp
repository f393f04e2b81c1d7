#include <algorithm>
#include <unordered_map>

#include <muster/graph/rewrite/expression_hash.hpp>
#include <muster/graph/text/literals.hpp>

namespace muster::graph {
namespace {

constexpr std::size_t small_bytes = 64;

std::uint64_t combined(std::uint64_t hash, std::uint64_t more) {
    hash ^= more + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdu;
}

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

class ExpressionHash {
  public:
    ExpressionHash(const Draft& draft, std::span<const NodeId> nodes) : draft_(draft), nodes_(nodes) {}

    std::uint64_t of(ValueId value) {
        const auto known = hashes_.find(value.index);
        if (known != hashes_.end()) return known->second;
        const std::uint64_t hash = computed(value);
        hashes_.emplace(value.index, hash);
        return hash;
    }

  private:
    std::uint64_t computed(ValueId value) {
        if (!value) return 1;
        const Tensor* constant = draft_.constant(value);
        if (constant && constant->bytes().size() <= small_bytes) {
            const auto bytes = constant->bytes();
            const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return combined(hash_of(to_string(constant->type())), hash_of(text));
        }
        const NodeId node = draft_.value(value).producer;
        if (!node || std::ranges::find(nodes_, node) == nodes_.end()) return combined(2, value.index);
        return of_node(node);
    }

    std::uint64_t of_node(NodeId node) {
        std::uint64_t hash = combined(3, static_cast<std::uint64_t>(draft_.node(node).op));
        for (const NamedAttribute& attribute : draft_.node(node).attributes)
            hash = combined(hash, hash_of(attribute.name + print_attribute(attribute.value)));
        for (const ValueId input : draft_.node(node).inputs) hash = combined(hash, of(input));
        return hash;
    }

    const Draft& draft_;
    std::span<const NodeId> nodes_;
    std::unordered_map<std::uint32_t, std::uint64_t> hashes_;
};

}  // namespace

std::uint64_t expression_hash(const Draft& draft, ValueId value, std::span<const NodeId> nodes) {
    return ExpressionHash(draft, nodes).of(value);
}

}  // namespace muster::graph
