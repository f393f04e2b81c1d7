#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/text/graph_text.hpp>
#include <muster/graph/text/literals.hpp>
#include <muster/graph/text/token_reader.hpp>

namespace muster::graph {
namespace {

constexpr std::size_t most_dimensions = 64;

class Parser : TokenReader {
  public:
    Parser(std::string_view text, std::string_view file) : TokenReader(text, file) {}

    Result<Graph> graph();
    Result<std::vector<std::pair<std::string, Tensor>>> tensors();

  private:
    Result<std::string> string();
    Result<std::string> name();
    Result<std::int64_t> integer();
    Result<float> number();
    Result<Dimension> dimension();
    Result<TensorType> type();
    Result<Tensor> tensor();
    Result<std::vector<std::byte>> contents(ElementType element);
    Result<Attribute> attribute(AttributeKind kind);

    Result<void> statement(GraphBuilder& builder);
    Result<void> input(GraphBuilder& builder);
    Result<void> constant(GraphBuilder& builder);
    Result<void> output(GraphBuilder& builder);
    Result<void> node(GraphBuilder& builder);
    Result<ValueId> value(const GraphBuilder& builder);
    Result<void> attributes(NodeSpec& spec);
    Result<void> check_types(const GraphBuilder& builder, std::span<const ValueId> outputs);
};

Result<std::string> Parser::string() {
    if (next().kind != TokenKind::string) return unexpected("a string");
    const Token token = take();
    if (auto text = read_string(token.text)) return *std::move(text);
    return fault(token.where, "The string has an escape that isn't \\\", \\\\, \\n or \\xHH.");
}

Result<std::string> Parser::name() {
    if (next().kind == TokenKind::string) return string();
    if (next().kind != TokenKind::word) return unexpected("a name");
    return std::string(take().text);
}

Result<std::int64_t> Parser::integer() {
    if (next().kind != TokenKind::number) return unexpected("an integer");
    const Token token = take();
    if (const auto number = read_integer(token.text)) return *number;
    return fault(token.where, fmt::format("{} isn't an integer of 64 bits.", shown(token)));
}

Result<float> Parser::number() {
    if (next().kind != TokenKind::number && !is_word("inf") && !is_word("nan")) return unexpected("a number");
    const Token token = take();
    if (const auto number = read_number(token.text)) return *number;
    return fault(token.where, fmt::format("{} isn't a number of 32 bits.", shown(token)));
}

Result<Dimension> Parser::dimension() {
    if (accept('?')) return Dimension::unknown();
    Dimension product(1);
    do {
        const SourceLocation where = next().where;
        if (next().kind == TokenKind::number) {
            const std::int64_t factor = TRY(integer());
            if (factor < 0) return fault(where, "A size is negative.");
            product = product * Dimension(factor);
        } else {
            product = product * Dimension::symbol(TRY(name()));
        }
    } while (accept('*'));
    return product;
}

Result<TensorType> Parser::type() {
    const Token word = next();
    const auto element = word.kind == TokenKind::word ? element_type_by_name(word.text) : std::nullopt;
    if (!element) return unexpected("an element type (f32, f16, i8, u8, i32, i64 or bool)");
    take();
    TRY(expect('['));
    TensorType type{*element, {}};
    TRY(list(']', [&]() -> Result<void> {
        if (type.shape.size() == most_dimensions) {
            return fault(next().where, fmt::format("A shape has more than {} dimensions.", most_dimensions));
        }
        type.shape.push_back(TRY(dimension()));
        return {};
    }));
    return type;
}

Result<std::vector<std::byte>> Parser::contents(ElementType element) {
    std::vector<std::byte> bytes;
    if (is_word("hex")) {
        take();
        if (next().kind != TokenKind::string) return unexpected("a string of hexadecimal digits");
        const Token token = take();
        auto read = read_hex(token.text);
        if (!read) return fault(token.where, "The string isn't pairs of hexadecimal digits.");
        return *std::move(read);
    }
    TRY(expect('['));
    TRY(list(']', [&]() -> Result<void> {
        if (next().kind != TokenKind::number && next().kind != TokenKind::word) return unexpected("a number");
        const Token token = take();
        if (append_element(bytes, element, token.text)) return {};
        return fault(token.where,
                     fmt::format("{} isn't a value of type {}.", shown(token), graph::name(element)));
    }));
    return bytes;
}

Result<Tensor> Parser::tensor() {
    const SourceLocation where = next().where;
    const TensorType of = TRY(type());
    auto sizes = known_sizes(of.shape);
    if (!sizes)
        return fault(where,
                     fmt::format("The type {} of a constant has a size that isn't a number.", to_string(of)));
    TRY(expect('='));
    auto bytes = std::make_shared<const std::vector<std::byte>>(TRY(contents(of.element)));
    auto made = Tensor::over(of.element, *std::move(sizes), {{bytes, bytes->data()}, bytes->size()});
    if (!made) return at(where, std::move(made).error());
    return made;
}

Result<Attribute> Parser::attribute(AttributeKind kind) {
    const auto items = [&]<class T>(std::vector<T> result, auto&& item) -> Result<Attribute> {
        TRY(expect('['));
        TRY(list(']', [&]() -> Result<void> {
            result.push_back(TRY(item()));
            return {};
        }));
        return Attribute(std::move(result));
    };
    switch (kind) {
        case AttributeKind::integer: return Attribute(TRY(integer()));
        case AttributeKind::number: return Attribute(TRY(number()));
        case AttributeKind::text: return Attribute(TRY(string()));
        case AttributeKind::tensor: return Attribute(TRY(tensor()));
        case AttributeKind::integers: return items(std::vector<std::int64_t>{}, [&] { return integer(); });
        case AttributeKind::numbers: return items(std::vector<float>{}, [&] { return number(); });
        case AttributeKind::texts: return items(std::vector<std::string>{}, [&] { return string(); });
    }
    return unexpected("an attribute");
}

Result<void> Parser::attributes(NodeSpec& spec) {
    if (!accept('{')) return {};
    return list('}', [&]() -> Result<void> {
        const SourceLocation where = next().where;
        std::string called = TRY(name());
        const AttributeInfo* row = info(spec.op).attribute(called);
        if (!row)
            return fault(where,
                         fmt::format("{} has no attribute {}.", info(spec.op).name, printable(called)));
        TRY(expect('='));
        spec.attributes.push_back({std::move(called), TRY(attribute(row->kind))});
        return {};
    });
}

Result<ValueId> Parser::value(const GraphBuilder& builder) {
    const SourceLocation where = next().where;
    const std::string called = TRY(name());
    if (const auto found = builder.find(called)) return *found;
    return fault(where, fmt::format("No value before this is called \"{}\".", printable(called)));
}

Result<void> Parser::input(GraphBuilder& builder) {
    take();
    const SourceLocation where = next().where;
    std::string called = TRY(name());
    TRY(expect(':'));
    auto added = builder.input(std::move(called), TRY(type()));
    if (!added) return at(where, std::move(added).error());
    return {};
}

Result<void> Parser::constant(GraphBuilder& builder) {
    take();
    const SourceLocation where = next().where;
    std::string called = TRY(name());
    TRY(expect(':'));
    auto added = builder.constant(std::move(called), TRY(tensor()));
    if (!added) return at(where, std::move(added).error());
    return {};
}

Result<void> Parser::output(GraphBuilder& builder) {
    take();
    return builder.output(TRY(value(builder)));
}

/// The types behind a node, if there are any, against those that were inferred.
Result<void> Parser::check_types(const GraphBuilder& builder, std::span<const ValueId> outputs) {
    if (!accept(':')) return {};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (i > 0) TRY(expect(','));
        const SourceLocation where = next().where;
        if (!outputs[i]) {
            if (!is_word("_")) return unexpected("`_`");
            take();
            continue;
        }
        const TensorType said = TRY(type()), &inferred = builder.fact(outputs[i]).type;
        if (said != inferred) {
            return fault(where, fmt::format("\"{}\" is {}, and not {}.", printable(builder.name(outputs[i])),
                                            to_string(inferred), to_string(said)));
        }
    }
    return {};
}

Result<void> Parser::node(GraphBuilder& builder) {
    const SourceLocation where = next().where;
    NodeSpec spec;
    do {
        const bool absent = is_word("_");
        std::string called = TRY(name());
        spec.outputs.push_back(absent ? "" : std::move(called));
    } while (accept(','));
    TRY(expect('='));
    const auto op = next().kind == TokenKind::word ? operator_by_name(next().text) : std::nullopt;
    if (!op)
        return fault(next().where, fmt::format("{} isn't an operator that graphs here have.", shown(next())));
    spec.op = *op;
    take();
    TRY(expect('('));
    TRY(list(')', [&]() -> Result<void> {
        const bool absent = is_word("_");
        if (absent) take();
        spec.inputs.push_back(absent ? ValueId{} : TRY(value(builder)));
        return {};
    }));
    TRY(attributes(spec));
    if (accept('@')) spec.name = TRY(string());
    auto added = builder.node(std::move(spec));
    if (!added) return at(where, std::move(added).error());
    return check_types(builder, *added);
}

Result<void> Parser::statement(GraphBuilder& builder) {
    if (is_word("input")) return input(builder);
    if (is_word("constant")) return constant(builder);
    if (is_word("output")) return output(builder);
    return node(builder);
}

Result<Graph> Parser::graph() {
    const SourceLocation where = next().where;
    if (!is_word("graph")) return unexpected("`graph`");
    take();
    GraphBuilder builder(TRY(string()));
    TRY(expect('{'));
    while (!accept('}')) TRY(statement(builder));
    if (next().kind != TokenKind::end) return unexpected("the end of the text");
    auto finished = std::move(builder).finish();
    if (!finished) return at(where, std::move(finished).error());
    return finished;
}

Result<std::vector<std::pair<std::string, Tensor>>> Parser::tensors() {
    std::vector<std::pair<std::string, Tensor>> result;
    while (next().kind != TokenKind::end) {
        std::string called = TRY(name());
        TRY(expect(':'));
        result.emplace_back(std::move(called), TRY(tensor()));
    }
    return result;
}

}  // namespace

Result<Graph> parse_graph(std::string_view text, std::string_view file) { return Parser(text, file).graph(); }

Result<std::vector<std::pair<std::string, Tensor>>> parse_tensors(std::string_view text,
                                                                  std::string_view file) {
    return Parser(text, file).tensors();
}

}  // namespace muster::graph
