#include <algorithm>

#include <muster/cli/report/split_json.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::cli {
namespace {

/// Writes the host's values and steps, which refer to nodes of the split program.
class Writer {
  public:
    explicit Writer(const SplitProgram& split) : split_(split), program_(split.program) {}

    Json values() const;
    Json variables() const;
    Json steps() const;
    std::uint32_t number(NodeId node) const { return split_.walked_nodes[node.index]; }

  private:
    Json value(NodeId id) const;
    Json place(NodeId reference) const;
    Json step(const HostStep& step) const;
    Json numbers(std::span<const NodeId> nodes) const;

    const SplitProgram& split_;
    const Program& program_;
};

Json Writer::numbers(std::span<const NodeId> nodes) const {
    Json list = Json::array();
    for (const NodeId node : nodes) list.push_back(number(node));
    return list;
}

/// The location that a load reads: a binding's byte offset, and the stride of each index.
Json Writer::place(NodeId reference) const {
    const Place place = resolve(program_, reference, Layout::host);
    const Variable& variable = program_.variable(place.variable);
    if (!variable.is_binding()) return {{"variable", place.variable.index}};
    Json json{{"binding", variable.name}, {"offset_bytes", place.offset}, {"indices", Json::array()}};
    for (const PlaceStep& step : place.steps) {
        Json index{{"value", number(step.index)}, {"stride_bytes", step.stride}};
        if (step.count != 0) index["count"] = step.count;
        json["indices"].push_back(std::move(index));
    }
    return json;
}

Json Writer::value(NodeId id) const {
    const Node& node = program_.node(id);
    Json json{{"op", info(node.op).name}, {"type", program_.types().name(node.type)}};
    if (node.op == Op::constant) {
        std::vector<std::uint32_t> words(program_.types().scalar_words(node.type));
        std::ranges::copy(program_.constant_words(id), words.begin());
        json["words"] = words;
    } else if (node.op == Op::builtin) {
        json["builtin"] = name(static_cast<Builtin>(node.payload));
    } else if (node.op == Op::load) {
        json["from"] = place(program_.operand(id, 0));
    } else if (node.op == Op::extension) {
        json["op"] = program_.extensions()[node.payload];
        json["from"] = place(program_.operand(id, 0));
    } else if (node.op == Op::array_length) {
        const Variable& variable = program_.variable(program_.root_variable(program_.operand(id, 0)));
        const RuntimeArray array = runtime_array(program_.types(), variable.type);
        json["of"] = {
            {"binding", variable.name}, {"offset_bytes", array.offset}, {"stride_bytes", array.stride}};
    } else {
        json["operands"] = numbers(program_.operands(id));
        if (node.payload != 0) json["payload"] = node.payload;
    }
    return json;
}

Json Writer::values() const {
    Json list = Json::array();
    for (std::uint32_t i = 0; i < split_.walked_node_count; ++i) list.push_back(nullptr);
    for (std::uint32_t i = 0; i < split_.walked_nodes.size(); ++i)
        if (split_.walked_nodes[i] < split_.walked_node_count) list[split_.walked_nodes[i]] = value({i});
    return list;
}

/// Lists the variables that the host keeps, by number.
Json Writer::variables() const {
    Json list = Json::object();
    for (const HostStep& step : split_.steps) {
        if (step.kind != HostStep::Kind::assign) continue;
        const Variable& variable = program_.variables()[step.index];
        list[std::to_string(step.index)] = {{"name", variable.name},
                                            {"type", program_.types().name(variable.type)}};
    }
    return list;
}

Json Writer::step(const HostStep& step) const {
    using Kind = HostStep::Kind;
    switch (step.kind) {
        case Kind::run: return {{"do", "run"}, {"part", step.index}};
        case Kind::evaluate: return {{"do", "evaluate"}, {"value", number(step.node)}};
        case Kind::assign: {
            Json json{{"do", "assign"}, {"variable", step.index}};
            if (step.node) json["value"] = number(step.node);
            return json;
        }
        case Kind::read: return {{"do", "read"}, {"value", number(step.node)}};
        case Kind::fetch: {
            Json json{{"do", "fetch"}};
            if (step.node) json["value"] = number(step.node);
            return json;
        }
        case Kind::branch: return {{"do", "branch"}, {"value", number(step.node)}, {"to", step.target}};
        case Kind::select: {
            const HostCases& cases = split_.cases[step.index];
            Json json{{"do", "select"}, {"value", number(step.node)}, {"cases", Json::array()}};
            for (const HostCase& one : cases.cases)
                json["cases"].push_back({{"words", one.selectors}, {"to", one.target}});
            json["otherwise"] = cases.otherwise;
            return json;
        }
        case Kind::next_iteration: return {{"do", "turn"}, {"loop", step.index}, {"to", step.target}};
        case Kind::jump: return {{"do", "jump"}, {"to", step.target}};
        case Kind::end: break;
    }
    return {{"do", "end"}};
}

Json Writer::steps() const {
    Json list = Json::array();
    for (const HostStep& one : split_.steps) list.push_back(step(one));
    return list;
}

}  // namespace

Json split_json(const SplitProgram& split) {
    const Writer writer(split);
    return {{"scratch",
             {{"header_words", scratch_header_words},
              {"words_per_invocation", split.invocation_words},
              {"words_per_workgroup", split.workgroup_words}}},
            {"variables", writer.variables()},
            {"values", writer.values()},
            {"steps", writer.steps()}};
}

Json part_json(const SplitProgram& split, const SplitPart& part) {
    const Writer writer(split);
    Json json{{"bindings", Json::array()},
              {"host_values", Json::array()},
              {"workgroups", to_json(report::of(part.workgroups))}};
    const Program& program = *part.program;
    for (std::size_t i = 0; i < part.bindings.size(); ++i) {
        using Source = SplitBinding::Source;
        const Variable& variable = program.variable(program.bindings()[i]);
        Json one{{"name", variable.name}, {"group", variable.group}, {"binding", variable.binding}};
        switch (part.bindings[i].source) {
            case Source::program: one["from"] = "program"; break;
            case Source::scratch: one["from"] = "scratch"; break;
            case Source::host_values: one["from"] = "host_values"; break;
        }
        if (part.bindings[i].source == Source::program) {
            const Program& whole = split.program;
            one["binds"] = whole.variable(whole.bindings()[part.bindings[i].index]).name;
        }
        json["bindings"].push_back(std::move(one));
    }
    for (const NodeId node : part.host_values) json["host_values"].push_back(writer.number(node));
    return json;
}

}  // namespace muster::cli
