#include "support/random_program.hpp"

#include <array>
#include <optional>
#include <random>
#include <string_view>

#include <fmt/format.h>

namespace muster::testing {
namespace {

using Expression = RandomExpression;
using Statement = RandomStatement;
using Block = std::vector<Statement>;

constexpr std::array<std::string_view, 4> scalar_names{"i32", "u32", "f32", "bool"};
constexpr std::array<std::string_view, 6> vector_types{"vec2<i32>", "vec3<u32>", "vec4<u32>",
                                                       "vec2<f32>", "vec3<f32>", "vec4<f32>"};

struct Local {
    std::string name, type;
    bool assignable = false;
};

bool is_vector(std::string_view type) { return type.starts_with("vec"); }
std::string scalar_of(std::string_view type) {
    return std::string(is_vector(type) ? type.substr(5, type.size() - 6) : type);
}
std::string bools_like(std::string_view type) {
    return is_vector(type) ? fmt::format("vec{}<bool>", type[3]) : std::string("bool");
}

class Maker {
  public:
    Maker(std::uint64_t seed, RandomKind kind)
        : random_(seed), kind_(kind), alone_(kind == RandomKind::usual && seed % 3 == 2) {}

    RandomProgram make() {
        static constexpr std::array<std::string_view, 12> sizes{
            "16", "16", "1", "5", "12", "24", "3, 5", "8, 2", "2, 2, 4", "4, 3, 2", "1, 7", "23"};
        RandomProgram program;
        program.kind = kind_;
        program.workgroup_size = one_of(sizes);
        if (alone_) program.body.push_back(place(program.workgroup_size));
        const int functions = pick(3);
        for (int i = 0; i < functions; ++i) program.functions.push_back(function(i));
        locals_ = {{"gid", "u32"}, {"lid", "u32"}, {"group", "u32"}};
        if (alone_) locals_.push_back({"here", "u32"});
        if (alone_ && row_ < all_ && chance(60)) return rows(std::move(program));
        if (kind_ == RandomKind::grid_barriers) return with_grid_barriers(std::move(program));
        const int parts = 2 + pick(4);
        for (int i = 0; i < parts; ++i) {
            for (Statement& statement : block(3 + pick(4), 3)) program.body.push_back(std::move(statement));
            if (alone_) {
                for (int k = pick(4); k >= 0; --k) program.body.push_back(access());
            } else if (chance(50)) {
                program.body.push_back(phase());
            }
        }
        if (chance(50)) {  // no barrier follows
            may_return_ = true;
            for (Statement& statement : block(1 + pick(3), 3)) program.body.push_back(std::move(statement));
            program.body.push_back({"if @ { return; }", {condition(2)}, {}});
            program.body.push_back(store());
        }
        for (Statement& statement : last_stores()) program.body.push_back(std::move(statement));
        return program;
    }

  private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    bool chance(int percent) { return pick(100) < percent; }
    template <class T>
    std::string one_of(const T& choices) {
        return std::string(choices[static_cast<std::size_t>(pick(static_cast<int>(std::size(choices))))]);
    }
    std::string any_type() { return chance(70) ? one_of(scalar_names) : one_of(vector_types); }
    std::string fresh(std::string_view stem) { return fmt::format("{}{}", stem, counter_++); }

    // Expressions.

    // Passes the value through a function, so that no expression is a const-expression: those may not overflow,
    // divide by zero, ...
    std::string literal(const std::string& type) { return fmt::format("k_{}({})", type, bare_literal(type)); }

    std::string bare_literal(const std::string& type) {
        if (type == "bool") return chance(50) ? "true" : "false";
        if (type == "i32") {
            static constexpr std::array<std::string_view, 8> edge{
                "i32(-2147483648)", "2147483647i", "-1i", "0i", "1i", "31i", "-7i", "32i"};
            return chance(40) ? one_of(edge) : fmt::format("{}i", pick(100));
        }
        if (type == "u32") {
            static constexpr std::array<std::string_view, 6> edge{"4294967295u", "2147483648u", "0u",
                                                                  "1u",          "32u",         "33u"};
            return chance(40) ? one_of(edge) : fmt::format("{}u", pick(100));
        }
        static constexpr std::array<std::string_view, 9> edge{"0.0f",  "-0.0f", "1.0f",   "0.5f",  "-1.5f",
                                                              "1e20f", "3e9f",  "-2.25f", "1e-20f"};
        return chance(50) ? one_of(edge) : fmt::format("{}.{}f", pick(100), pick(1000));
    }

    Expression leaf(const std::string& type) {
        std::vector<const Local*> fitting;
        for (const Local& local : locals_) {
            if (local.type == type) fitting.push_back(&local);
        }
        if (!fitting.empty() && chance(70)) {
            return {
                type, fitting[static_cast<std::size_t>(pick(static_cast<int>(fitting.size())))]->name, {}};
        }
        if (is_vector(type)) return {type, fmt::format("{}({})", type, literal(scalar_of(type))), {}};
        return {type, literal(type), {}};
    }

    Expression made(std::string type, std::string text, const std::vector<std::string>& parts, int depth) {
        Expression expression{std::move(type), std::move(text), {}};
        for (const std::string& part : parts)
            expression.arguments.push_back(this->expression(part, depth - 1));
        return expression;
    }

    Expression expression(const std::string& type, int depth) {
        if (depth <= 0 || chance(15)) return leaf(type);
        if (is_vector(type) && chance(30)) return vector_expression(type, depth);
        if (chance(10))
            return made(type, "select(@, @, @)", {type, type, chance(50) ? "bool" : bools_like(type)}, depth);
        const std::string scalar = scalar_of(type);
        if (scalar == "bool") return bool_expression(type, depth);
        if (!is_vector(type) && chance(20)) return scalar_source(type, depth);
        return scalar == "f32" ? float_expression(type, depth) : integer_expression(type, depth);
    }

    Expression vector_expression(const std::string& type, int depth) {
        const std::string scalar = scalar_of(type);
        if (chance(50)) {
            std::string text = type + "(@";
            std::vector<std::string> parts{scalar};
            for (char i = '1'; i < type[3]; ++i) {
                text += ", @";
                parts.push_back(scalar);
            }
            return made(type, text + ")", parts, depth);
        }
        static constexpr std::string_view letters = "xyzw";
        const std::string from = fmt::format("vec4<{}>", scalar);
        std::string text = "(@).";
        for (char i = '0'; i < type[3]; ++i) text += letters[static_cast<std::size_t>(pick(4))];
        return made(type, text, {from}, depth);
    }

    Expression bool_expression(const std::string& type, int depth) {
        if (is_vector(type)) {
            static constexpr std::array<std::string_view, 4> compare{"(@ < @)", "(@ == @)", "(@ >= @)",
                                                                     "(@ != @)"};
            const std::string of = fmt::format("vec{}<{}>", type[3], chance(50) ? "f32" : "u32");
            return made(type, one_of(compare), {of, of}, depth);
        }
        switch (pick(6)) {
            case 0: return made(type, "!(@)", {"bool"}, depth);
            case 1: return made(type, chance(50) ? "(@ && @)" : "(@ || @)", {"bool", "bool"}, depth);
            case 2: return made(type, chance(50) ? "(@ & @)" : "(@ | @)", {"bool", "bool"}, depth);
            case 3: return made(type, chance(50) ? "any(@)" : "all(@)", {"vec3<bool>"}, depth);
            default: break;
        }
        static constexpr std::array<std::string_view, 6> compare{"(@ < @)",  "(@ <= @)", "(@ > @)",
                                                                 "(@ >= @)", "(@ == @)", "(@ != @)"};
        const std::string of = one_of(std::array<std::string_view, 3>{"i32", "u32", "f32"});
        return made(type, one_of(compare), {of, of}, depth);
    }

    Expression scalar_source(const std::string& type, int depth) {
        const std::string vector = fmt::format("vec4<{}>", type);
        switch (pick(7)) {
            case 0: return made(type, fmt::format("(@).{}", "xyzw"[pick(4)]), {vector}, depth);
            case 1: return made(type, "(@)[@]", {vector, "u32"}, depth);
            case 2:
                return made(type, chance(50) ? "scratch_" + type + "[@]" : "kept_" + type + "[@ % 5u]",
                            {"u32"}, depth);
            case 3:
                for (const Local& local : functions_) {
                    if (local.type == type) return made(type, local.name + "(@, @)", {"u32", "f32"}, depth);
                }
                break;
            default: break;
        }
        if (chance(20)) {
            if (type == "u32") return {type, chance(50) ? "scratch_record.a" : "kept_record.a", {}};
            if (type == "f32")
                return made(type, chance(50) ? "scratch_record.b[@]" : "kept_record.b[@]", {"u32"}, depth);
            return made(type, chance(50) ? "scratch_record.c[@]" : "kept_record.c[@]", {"u32"}, depth);
        }
        if (type == "u32") return made(type, chance(80) ? "words[@ % 40u]" : "words[@]", {"u32"}, depth);
        if (type == "f32") return made(type, chance(80) ? "numbers[@ % 40u]" : "numbers[@]", {"u32"}, depth);
        return made(type, "bitcast<i32>(@)", {chance(50) ? "u32" : "f32"}, depth);
    }

    Expression integer_expression(const std::string& type, int depth) {
        static constexpr std::array<std::string_view, 12> binary{
            "(@ + @)", "(@ - @)", "(@ * @)",   "(@ / @)",   "(@ % @)", "(@ & @)",
            "(@ | @)", "(@ ^ @)", "min(@, @)", "max(@, @)", "(@ + @)", "(@ * @)"};
        static constexpr std::array<std::string_view, 8> unary{"(~@)",
                                                               "abs(@)",
                                                               "countOneBits(@)",
                                                               "countLeadingZeros(@)",
                                                               "reverseBits(@)",
                                                               "firstLeadingBit(@)",
                                                               "firstTrailingBit(@)",
                                                               "countTrailingZeros(@)"};
        const std::string counts = is_vector(type) ? fmt::format("vec{}<u32>", type[3]) : "u32";
        switch (pick(7)) {
            case 0: return made(type, chance(50) ? "(@ << @)" : "(@ >> @)", {type, counts}, depth);
            case 1: return made(type, one_of(unary), {type}, depth);
            case 2:
                return made(type, type + "(@)",
                            {is_vector(type) ? fmt::format("vec{}<f32>", type[3])
                                             : std::string(one_of(scalar_names))},
                            depth);
            case 3: return made(type, "extractBits(@, @, @)", {type, "u32", "u32"}, depth);
            case 4: return made(type, "clamp(@, @, @)", {type, type, type}, depth);
            default: return made(type, one_of(binary), {type, type}, depth);
        }
    }

    Expression float_expression(const std::string& type, int depth) {
        static constexpr std::array<std::string_view, 9> binary{"(@ + @)",    "(@ - @)",   "(@ * @)",
                                                                "(@ / @)",    "min(@, @)", "max(@, @)",
                                                                "step(@, @)", "(@ % @)",   "(@ * @)"};
        static constexpr std::array<std::string_view, 10> unary{
            "(-@)",     "abs(@)",  "floor(@)", "ceil(@)", "trunc(@)",
            "round(@)", "sqrt(@)", "fract(@)", "sign(@)", "saturate(@)"};
        static constexpr std::array<std::string_view, 6> math{"exp2(@)", "sin(@)",  "log(@)",
                                                              "atan(@)", "tanh(@)", "inverseSqrt(@)"};
        switch (pick(8)) {
            case 0: return made(type, one_of(unary), {type}, depth);
            case 1: return made(type, "fma(@, @, @)", {type, type, type}, depth);
            case 2:
                return made(type, type + "(@)",
                            {is_vector(type) ? fmt::format("vec{}<{}>", type[3], chance(50) ? "u32" : "i32")
                                             : std::string(one_of(scalar_names))},
                            depth);
            case 3: return made(type, one_of(math), {type}, depth);
            case 4: return made(type, "mix(@, @, @)", {type, type, type}, depth);
            default: return made(type, one_of(binary), {type, type}, depth);
        }
    }

    // The condition of a branch: often the same for all invocations of a workgroup.
    Expression condition(int depth) {
        if (chance(65)) return expression("bool", depth);
        switch (in_function_ ? 1 : pick(3)) {  // functions have no workgroup id
            case 0: return {"bool", fmt::format("(group == {}u)", pick(2)), {}};
            case 1: return {"bool", fmt::format("(words[{}] % 3u == {}u)", pick(32), pick(3)), {}};
            default: return {"bool", fmt::format("(words[group + {}u] > {}u)", pick(32), 1u << 31), {}};
        }
    }

    // Statements.

    Block block(int length, int depth) {
        const std::size_t visible = locals_.size();
        Block block;
        for (int i = 0; i < length; ++i) block.push_back(statement(depth));
        if (depth < 3) locals_.resize(visible);  // a nested block's declarations go out of scope with it
        return block;
    }

    Statement declaration() {
        const std::string type = any_type();
        Statement statement;
        const bool variable = chance(60);
        const std::string name = fresh(variable ? "v" : "c");
        statement.text =
            variable ? fmt::format("var {}: {} = @;", name, type) : fmt::format("let {} = @;", name);
        statement.expressions.push_back(expression(type, 3));
        locals_.push_back({name, type, variable});
        return statement;
    }

    Statement assignment() {
        std::vector<Local> assignable;
        for (const Local& local : locals_) {
            if (local.assignable) assignable.push_back(local);
        }
        if (chance(12)) {
            static constexpr std::array<std::string_view, 4> parts{"scratch_record.a", "kept_record.a",
                                                                   "kept_record.c[@]", "scratch_record.c[@]"};
            if (chance(30))
                return {chance(50) ? "scratch_record.b[@] = @;" : "kept_record.b[@] = @;",
                        {expression("u32", 2), expression("f32", 2)},
                        {}};
            if (chance(20))
                return {
                    chance(50) ? "scratch_record = kept_record;" : "kept_record = scratch_record;", {}, {}};
            const std::string part = one_of(parts);
            if (part.ends_with(']'))
                return {part + " = @;", {expression("u32", 2), expression("i32", 3)}, {}};
            return {part + " = @;", {expression("u32", 3)}, {}};
        }
        if (assignable.empty() || chance(15)) {
            const std::string type = one_of(std::array<std::string_view, 3>{"i32", "u32", "f32"});
            return {chance(50) ? "scratch_" + type + "[@] = @;" : "kept_" + type + "[@ % 5u] = @;",
                    {expression("u32", 2), expression(type, 3)},
                    {}};
        }
        const Local target = assignable[static_cast<std::size_t>(pick(static_cast<int>(assignable.size())))];
        if (is_vector(target.type) && chance(40)) {
            return {
                target.name + "[@] = @;", {expression("u32", 2), expression(scalar_of(target.type), 3)}, {}};
        }
        if (scalar_of(target.type) != "bool" && chance(40)) {
            static constexpr std::array<std::string_view, 5> compound{"+=", "-=", "*=", "/=", "%="};
            return {fmt::format("{} {} @;", target.name, one_of(compound)), {expression(target.type, 3)}, {}};
        }
        return {target.name + " = @;", {expression(target.type, 3)}, {}};
    }

    Statement store() {
        return {fmt::format("out[gid * {}u + {}u] = @;", random_slots, pick(random_slots)),
                {expression("u32", 4)},
                {}};
    }

    // One operation per counter, so that the order of invocations doesn't matter; the old value isn't used.
    Statement atomic() {
        static constexpr std::array<std::string_view, random_counters> operations{"atomicAdd", "atomicMax",
                                                                                  "atomicXor", "atomicOr"};
        if (!alone_ && chance(50)) {  // an element of the invocation's own, whose old value is used
            static constexpr std::array<std::string_view, 8> used{"atomicAdd",      "atomicSub", "atomicMax",
                                                                  "atomicMin",      "atomicXor", "atomicAnd",
                                                                  "atomicExchange", "atomicOr"};
            const std::string name = fresh("c");
            const bool exchanges = chance(20);
            Statement statement{
                exchanges
                    ? fmt::format("let {} = atomicCompareExchangeWeak(&own[lid], @, @).old_value;", name)
                    : fmt::format("let {} = {}(&own[lid], @);", name, one_of(used)),
                {expression("u32", 2)},
                {}};
            if (exchanges) statement.expressions.push_back(expression("u32", 2));
            locals_.push_back({name, "u32", false});
            return statement;
        }
        const int which = pick(random_counters);
        const std::string operation = std::string(operations[static_cast<std::size_t>(which)]);
        return {fmt::format("{}(&counters[{}], @);", operation, which), {expression("u32", 2)}, {}};
    }

    Statement statement(int depth) {
        if (chance(8)) {
            if (const auto leaves = jump()) return *leaves;
        }
        if (alone_ && !in_function_ && chance(15)) return access();
        const int kind = pick(depth > 0 ? 13 : 8);
        if (kind < 3) return declaration();
        if (kind < 6) return assignment();
        if (kind == 6) return in_function_ ? assignment() : store();
        if (kind == 7) return in_function_ ? declaration() : atomic();
        if (kind < 10) {
            Statement statement{"if @ {#} else {#}", {condition(3)}, {}};
            for (int i = 0; i < 2; ++i) statement.blocks.push_back(block(1 + pick(3), depth - 1));
            return statement;
        }
        return kind == 10 ? switch_(depth) : loop(depth);
    }

    // A jump that is allowed here; nothing if none is.
    std::optional<Statement> jump() {
        std::vector<std::string> ways;
        if (loops_ > 0 || switches_ > 0) ways.emplace_back("break;");
        if (loops_ > 0) ways.emplace_back("continue;");
        if (in_function_) ways.emplace_back("return @;");
        if (may_return_) ways.emplace_back("return;");
        if (ways.empty()) return {};
        const std::string way = one_of(ways);
        Statement statement{fmt::format("if @ {{# {}}}", way), {condition(2)}, {}};
        if (way == "return @;") statement.expressions.push_back(expression(returned_, 2));
        const std::size_t visible = locals_.size();
        statement.blocks.push_back(chance(40) ? Block{assignment()} : Block{});
        locals_.resize(visible);
        return statement;
    }

    Statement switch_(int depth) {
        Statement statement{
            "switch @ % 5u { case 0u {#} case 1u, 2u {#} default {#} }", {expression("u32", 2)}, {}};
        if (!in_function_ && chance(25))
            statement.expressions[0] = {"u32", fmt::format("words[group + {}u]", pick(30)), {}};
        ++switches_;
        for (int i = 0; i < 3; ++i) {
            statement.blocks.push_back(block(1 + pick(2), depth - 1));
            if (chance(25)) statement.blocks.back().push_back({"if @ { break; }", {condition(2)}, {}});
        }
        --switches_;
        return statement;
    }

    // A loop. Every loop counts down a variable of its own that nothing else assigns.
    Statement loop(int depth) {
        const std::string k = fresh("k");
        Statement statement;
        statement.expressions.push_back(expression("u32", 2));
        const std::size_t visible = locals_.size();
        // A variable from before the loop that only the loop uses.
        const std::string only = fresh("o"), seen = fresh("c"), only_type = any_type();
        Statement before{fmt::format("var {}: {} = @;", only, only_type), {expression(only_type, 2)}, {}};
        locals_.push_back({only, only_type, true});
        locals_.push_back({k, "u32", false});
        Statement first{fmt::format("let {} = @;", seen), {expression("u32", 3)}, {}};
        locals_.push_back({seen, "u32", false});
        ++loops_;
        Block body = block(1 + pick(3), depth - 1);
        if (chance(40)) body.push_back({"if @ { break; }", {condition(2)}, {}});
        if (chance(30)) body.push_back({"if @ { continue; }", {condition(2)}, {}});
        if (chance(40)) body.push_back(assignment());
        --loops_;
        if (chance(6)) body.push_back({chance(70) ? "continue;" : "break;", {}, {}});
        // Uses the body's first value in the continuing block.
        const std::string last = fmt::format("scratch_u32[@ % 3u] += {}; kept_u32[1] ^= {}; ", seen, seen);
        const Expression where = expression_of({{seen, "u32", false}, {k, "u32", false}}, "u32", 1);
        locals_.resize(visible);
        body.insert(body.begin(), std::move(first));
        Block whole;
        whole.push_back(std::move(before));
        statement.blocks.push_back(std::move(body));
        switch (pick(4)) {
            case 0: statement.text = fmt::format("for (var {0} = @ % 7u; {0} > 0u; {0}--) {{#}}", k); break;
            case 1:
                statement.text = fmt::format(
                    "{{ var {0}_ = @ % 7u; while {0}_ > 0u {{ let {0} = {0}_; {0}_ -= 1u; {{#}} }} }}", k);
                break;
            case 2:
                statement.text = fmt::format(
                    "{{ var {0}_ = @ % 7u; loop {{ let {0} = {0}_; {{#}} continuing {{ {0}_ = max({0}_, 1u) "
                    "- 1u; "
                    "break if {0}_ == 0u; }} }} }}",
                    k);
                break;
            default:
                statement.text = fmt::format(
                    "{{ var {0}_ = @ % 7u; loop {{ let {0} = {0}_; # continuing {{ {0}_ = max({0}_, 1u) - "
                    "1u; "
                    "{1}break if {0}_ == 0u; }} }} }}",
                    k, last);
                statement.expressions.push_back(where);
        }
        whole.push_back(std::move(statement));
        return {"{#}", {}, {std::move(whole)}};
    }

    Expression expression_of(std::vector<Local> locals, const std::string& type, int depth) {
        std::swap(locals, locals_);
        Expression made = expression(type, depth);
        std::swap(locals, locals_);
        return made;
    }

    // Gives each invocation a number of its own; invocations that are neighbours in x have consecutive numbers.
    Statement place(std::string& size) {
        static constexpr std::array<std::array<std::uint32_t, 3>, 11> sizes{{{1, 1, 1},
                                                                             {3, 1, 1},
                                                                             {4, 1, 1},
                                                                             {5, 1, 1},
                                                                             {16, 1, 1},
                                                                             {64, 1, 1},
                                                                             {8, 8, 1},
                                                                             {4, 4, 1},
                                                                             {4, 3, 2},
                                                                             {8, 4, 1},
                                                                             {2, 2, 1}}};
        const auto [x, y, z] = sizes[static_cast<std::size_t>(pick(sizes.size()))];
        size = fmt::format("{}, {}, {}", x, y, z);
        row_ = random_workgroups * x;
        all_ = row_ * y * z;
        return {fmt::format("let here = place.x + {}u * (place.y + {}u * place.z);", row_, y), {}, {}};
    }

    // Mostly accesses to neighbours' elements, in rows, for which one row per subgroup is better.
    RandomProgram rows(RandomProgram program) {
        for (int k = 4 + pick(8); k > 0; --k) {
            const std::string name = fresh("c");
            static constexpr std::array<std::string_view, 3> arrays{"rows[{}]", "rows[{}]", "quads[{}].y"};
            const std::string from = one_of(arrays);
            // As in typical kernels, the row's length isn't known when the kernel is compiled.
            const std::string row = chance(80) ? fmt::format("groups.x * {}u", row_ / random_workgroups)
                                               : fmt::format("{}u", row_ + static_cast<unsigned>(pick(2)));
            const std::string at =
                fmt::format("(place.y + {}u) * ({}) + place.x + {}u", pick(3), row, pick(3));
            program.body.push_back(
                {fmt::format("let {} = {};", name, fmt::format(fmt::runtime(from), at)), {}, {}});
            locals_.push_back({name, from.starts_with("rows") ? "f32" : "u32", false});
            if (chance(20))
                program.body.push_back(
                    {"if @ { own_rows[here] = @; }", {condition(1), expression("f32", 1)}, {}});
            if (chance(20)) program.body.push_back({"own_rows[here] += @;", {expression("f32", 1)}, {}});
        }
        program.body.push_back({"own_rows[here] -= @;", {expression("f32", 2)}, {}});
        program.body.push_back(
            {fmt::format("out[gid * {}u] = @;", random_slots), {expression("u32", 2)}, {}});
        return program;
    }

    std::string index() {
        switch (pick(10)) {
            case 0: return "place.x";
            case 1: return fmt::format("(place.x + {}u)", pick(9));
            case 2: return fmt::format("(here - {}u)", pick(3));
            case 3: return fmt::format("(place.y * {}u + place.x)", chance(50) ? row_ : 9);
            case 4: return fmt::format("(here * 2u + {}u)", pick(3));
            case 5: return fmt::format("(lid + {}u)", pick(99));
            case 6: return "(group * 5u + lid)";
            default: return "here";
        }
    }

    // Arrays whose elements are several words; when an element is read, these parts become locals.
    struct Element {
        std::string_view array, type, parts;  // parts: each the letter of a scalar and a suffix, "u.a f.b"
    };
    static constexpr std::array<Element, 9> elements{{{"pairs", "vec2<f32>", "f.x f.y"},
                                                      {"triples", "vec3<u32>", "u.x u.y u.z"},
                                                      {"quads", "vec4<u32>", "u.x u.z u.w"},
                                                      {"odds", "Odd", "u.a f.b i.c"},
                                                      {"wides", "Wide", "u.a.x u.a.w f.b.y i.c[1]"},
                                                      {"own_pairs", "vec2<f32>", "f.x f.y"},
                                                      {"own_triples", "vec3<u32>", "u.x u.y u.z"},
                                                      {"own_quads", "vec4<u32>", "u.x u.y u.z u.w"},
                                                      {"own_odds", "Odd", "u.a f.b i.c"}}};
    static bool is_own(const Element& element) { return element.array.starts_with("own_"); }
    static std::vector<Local> parts_of(const Element& element, const std::string& name) {
        std::vector<Local> parts;
        std::string_view left = element.parts;
        while (!left.empty()) {
            const std::string_view part = left.substr(0, left.find(' '));
            const char scalar = part[0];
            parts.push_back({name + std::string(part.substr(1)), scalar == 'u'   ? "u32"
                                                                 : scalar == 'f' ? "f32"
                                                                                 : "i32"});
            left.remove_prefix(std::min(left.size(), part.size() + 1));
        }
        return parts;
    }

    // Reads an element, or writes an own one: whole, or a part.
    Statement access() {
        if (chance(30)) return strided_loop();
        const Element& element = elements[static_cast<std::size_t>(pick(elements.size()))];
        if (!is_own(element) || chance(30)) {
            const std::string name = fresh("c"), at = is_own(element) ? "here" : index();
            for (Local& part : parts_of(element, name)) locals_.push_back(std::move(part));
            return {fmt::format("let {} = {}[{}];", name, element.array, at), {}, {}};
        }
        const std::string place = std::string(element.array) + "[here]";
        if (chance(40)) {
            const std::vector<Local> parts = parts_of(element, place);
            const Local& part = parts[static_cast<std::size_t>(pick(static_cast<int>(parts.size())))];
            return {part.name + " = @;", {expression(part.type, 3)}, {}};
        }
        if (element.type == "Odd")
            return {place + " = Odd(@, @, @);",
                    {expression("u32", 2), expression("f32", 2), expression("i32", 2)},
                    {}};
        return {place + " = @;", {expression(std::string(element.type), 3)}, {}};
    }

    // A loop from the invocation's own element in steps of all invocations; reads there, and maybe writes.
    Statement strided_loop() {
        const std::string s = fresh("s"), sum = fresh("v");
        const std::array<std::string, 3> steps{
            fmt::format("{}u", all_), fmt::format("groups.x * {}u", all_ / 7), fmt::format("{}u", all_ * 2)};
        Statement statement;
        statement.text = fmt::format("var {0} = 1.0f; for (var {1} = here; {1} < {2}u; {1} += {3}) {{ {0} ",
                                     sum, s, 300 + pick(1200), one_of(steps));
        switch (pick(3)) {
            case 0: statement.text += fmt::format("+= rows[{}];", s); break;
            case 1: statement.text += fmt::format("= {}.y - {};", fmt::format("pairs[{}]", s), sum); break;
            default: statement.text += fmt::format("+= odds[{}].b;", s); break;
        }
        if (chance(50)) statement.text += fmt::format(" own_rows[{}] = {} + @;", s, sum);
        if (statement.text.ends_with("@;")) statement.expressions.push_back(expression("f32", 2));
        if (chance(30)) statement.text += fmt::format(" own_quads[{0}].y = {0};", s);
        if (chance(30)) {
            statement.text += " if @ { continue; }";
            statement.expressions.push_back(condition(1));
        }
        if (chance(20)) {
            statement.text += " if @ { break; }";
            statement.expressions.push_back(condition(1));
        }
        statement.text += " }";
        locals_.push_back({sum, "f32", true});
        return statement;
    }

    // Communicates through workgroup memory: own element, barrier, any element, barrier; maybe in a uniform
    // loop.
    Statement phase() {
        const std::string name = fresh("v"), rounds = fresh("r");
        Statement statement;
        const bool looped = chance(50);
        if (chance(35)) {  // in a function that some leave early, after its barrier
            statement.text = fmt::format(
                "var {0}: u32 = @; for (var {1} = 0u; {1} < {2}u; {1}++) {{ {0} += swap(lid, @, @, @, &{3}); "
                "workgroupBarrier(); #}}",
                name, rounds, looped ? 1 + pick(3) : 1, name + "_");
            statement.text = fmt::format("var {}_ = 7u; ", name) + statement.text;
            statement.expressions = {expression("u32", 1), expression("u32", 3), expression("u32", 2),
                                     condition(2)};
            locals_.push_back({name, "u32", true});
            locals_.push_back({name + "_", "u32", true});
            statement.blocks.push_back(looped ? block(1, 1) : Block{});
            return statement;
        }
        statement.text = fmt::format(
            "var {0}: u32; for (var {1} = 0u; {1} < {2}u; {1}++) {{ tile[lid] = @ + {1}; workgroupBarrier(); "
            "{0} += "
            "tile[@ % 20u]; workgroupBarrier(); #}}",
            name, rounds, looped ? 1 + pick(3) : 1);
        statement.expressions = {expression("u32", 3), expression("u32", 2)};
        locals_.push_back({name, "u32", true});
        statement.blocks.push_back(looped ? block(1, 2) : Block{});
        return statement;
    }

    Block last_stores() {
        Block stores;
        for (std::uint32_t slot = 0; slot < random_slots; ++slot)
            stores.push_back(
                {fmt::format("out[gid * {}u + {}u] ^= @;", random_slots, slot), {expression("u32", 3)}, {}});
        return stores;
    }

    // After the first return there are no more workgroup barriers.
    RandomProgram with_grid_barriers(RandomProgram program) {
        for (int parts = 3 + pick(4); parts > 0; --parts) {
            for (Statement& statement : block(2 + pick(3), 3)) program.body.push_back(std::move(statement));
            if (chance(20)) {
                may_return_ = true;
                program.body.push_back(
                    chance(50)
                        ? Statement{"if @ { return; }", {condition(2)}, {}}
                        : Statement{"if (lid + @) % 3u == 0u { return; }", {expression("u32", 2)}, {}});
            }
            if (!may_return_ && chance(30)) program.body.push_back(phase());
            program.body.push_back(meeting());
        }
        for (Statement& statement : last_stores()) program.body.push_back(std::move(statement));
        return program;
    }

    // A number from 0 to 3 that is uniform over the grid.
    std::string uniform() {
        switch (pick(4)) {
            case 0: return fmt::format("(words[{}] % 4u)", pick(40));
            case 1: return fmt::format("(groups.x % {}u)", 2 + pick(3));
            case 2: return fmt::format("min(words[groups.x + {}u], 2u)", pick(30));
            default: return fmt::format("{}u", pick(4));
        }
    }

    // One or more grid barriers, and a result that depends on the right order of phases.
    Statement meeting() {
        const std::string name = fresh("v"), round = fresh("r");
        Statement statement;
        statement.expressions = {expression("u32", 3), expression("u32", 2)};
        switch (pick(8)) {
            case 0:  // any elements of others
                statement.text = fmt::format(
                    "meeting[gid] = @; gridBarrier(); let {} = meeting[@ % 460u]; gridBarrier();", name);
                break;
            case 1:  // in a loop
                statement.text = fmt::format(
                    "var {0}: u32; for (var {1} = {2}; {1} < 4u; {1}++) {{ meeting[gid] = @ + {1} * {0}; "
                    "gridBarrier(); {0} += meeting[@ % 460u]; gridBarrier(); #}}",
                    name, round, uniform());
                statement.blocks.push_back(block(1 + pick(2), 2));
                break;
            case 2:  // in a continuing block, which `continue` sometimes reaches early
                statement.text = fmt::format(
                    "var {0} = @; var {1} = {2}; loop {{ meeting[gid] += {0}; if {1} == {3} {{ {0}++; "
                    "continue; }} "
                    "#continuing {{ gridBarrier(); {0} ^= meeting[@ % 460u] + {1}; {1}++; gridBarrier(); "
                    "break if {1} > 3u; }} }}",
                    name, round, uniform(), uniform());
                statement.blocks.push_back(block(1, 2));
                break;
            case 3:  // in a branch
                statement.text = fmt::format(
                    "var {0} = @; if {1} > 1u {{ meeting[gid] = {0}; gridBarrier(); #{0} += meeting[@ % "
                    "460u]; "
                    "gridBarrier(); }} else {{#}}",
                    name, uniform());
                statement.blocks = {block(1, 2), block(1 + pick(2), 2)};
                break;
            case 4:  // in a function
                statement.text = fmt::format(
                    "var {0}: u32 = {1}; for (var {2} = 0u; {2} < {1}; {2}++) {{ {0} += meet(gid, {2}, @, @, "
                    "&{0}); #}}",
                    name, uniform(), round);
                statement.blocks.push_back(block(1, 1));
                break;
            case 5:  // workgroup memory
                statement.text =
                    fmt::format("tile[lid] = @; gridBarrier(); let {} = tile[@ % 20u]; gridBarrier();", name);
                break;
            case 6:  // while a word says that an invocation wants to go on
                statement.text = fmt::format(
                    "var {0} = @; for (var {1} = {2}; {1} < 6u; {1}++) {{ if {0} % 3u > 0u {{ {0} -= 1u; "
                    "atomicMax(&signals[{3}], {1} + 1u); }} gridBarrier(); if gridUniformLoad(&signals[{3}]) "
                    "<= {1} "
                    "{{ break; }} #meeting[gid] ^= {0} + @; }} gridBarrier();",
                    name, round, uniform(), pick(4));
                statement.blocks.push_back(block(1, 2));
                break;
            default:  // a word and another one whose index it is
                statement.text = fmt::format(
                    "var {0} = @; if gid == {1}u {{ meeting[{1}] = @; }} gridBarrier(); let {2} = "
                    "gridUniformLoad(&meeting[{1}]); let {2}_ = gridUniformLoad(&meeting[{2} % 460u]); "
                    "if gid == {1}u {{ meeting[{1}] = {0}; }} {0} ^= {2} + {2}_; gridBarrier();",
                    name, pick(60), round);
        }
        locals_.push_back({name, "u32", statement.text.starts_with("var")});
        return statement;
    }

    Statement function(int index) {
        const std::string type = one_of(std::array<std::string_view, 3>{"i32", "u32", "f32"});
        const std::string name = fmt::format("f{}", index);
        locals_ = {{"a", "u32"}, {"b", "f32"}};
        in_function_ = true;
        returned_ = type;
        Statement statement{
            fmt::format(
                "fn {}(a: u32, b: f32) -> {} {{ var scratch_i32 = array<i32, 3>(); var "
                "scratch_u32 = array<u32, 3>(); var scratch_f32 = array<f32, 3>(); var scratch_record = "
                "Record(); # if @ {{ "
                "return @; }} # return @; }}",
                name, type),
            {},
            {}};
        statement.blocks.push_back(block(2, 2));
        statement.expressions = {expression("bool", 2), expression(type, 2)};
        const std::size_t visible = locals_.size();
        statement.blocks.push_back(block(1 + pick(2), 2));
        if (chance(50)) {
            const std::string k = fresh("k");
            statement.blocks.back().push_back(
                {fmt::format("for (var {0} = 0u; {0} < 4u; {0}++) {{ if @ {{ return @; "
                             "}} }}",
                             k),
                 {expression("bool", 2), expression(type, 2)},
                 {}});
        }
        locals_.resize(visible);
        statement.expressions.push_back(expression(type, 3));
        in_function_ = false;
        functions_.push_back({name, type, false});
        return statement;
    }

    std::mt19937_64 random_;
    RandomKind kind_;
    std::vector<Local> locals_, functions_;
    int counter_ = 0, loops_ = 0, switches_ = 0;  // nesting around the current statement
    bool in_function_ = false, may_return_ = false;
    std::string returned_;             // in a function: its return type
    bool alone_ = false;               // invocations share no memory
    std::uint32_t row_ = 0, all_ = 0;  // invocations of the grid in x, and in total
};

constexpr std::string_view header = R"(@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> numbers: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>, 4>;
struct Record { a: u32, b: vec3<f32>, c: array<i32, 3> }
struct Odd { a: u32, b: f32, c: i32 }
struct Wide { a: vec4<u32>, b: vec2<f32>, c: array<i32, 2> }
@group(0) @binding(4) var<storage, read> pairs: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> triples: array<vec3<u32>>;
@group(0) @binding(6) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> odds: array<Odd>;
@group(0) @binding(8) var<storage, read> wides: array<Wide>;
@group(0) @binding(9) var<storage, read> rows: array<f32>;
@group(0) @binding(10) var<storage, read_write> own_pairs: array<vec2<f32>>;
@group(0) @binding(11) var<storage, read_write> own_triples: array<vec3<u32>>;
@group(0) @binding(12) var<storage, read_write> own_quads: array<vec4<u32>>;
@group(0) @binding(13) var<storage, read_write> own_odds: array<Odd>;
@group(0) @binding(14) var<storage, read_write> own_rows: array<f32>;
var<workgroup> tile: array<u32, 24>;
var<workgroup> own: array<atomic<u32>, 24>;
var<private> kept_record: Record;
var<private> kept_i32: array<i32, 5>;
var<private> kept_u32: array<u32, 5>;
var<private> kept_f32: array<f32, 5>;
fn k_i32(v: i32) -> i32 { return v; }
fn k_u32(v: u32) -> u32 { return v; }
fn k_f32(v: f32) -> f32 { return v; }
fn k_bool(v: bool) -> bool { return v; }
fn swap(l: u32, v: u32, at: u32, stop: bool, p: ptr<function, u32>) -> u32 {
    tile[l] = v;
    workgroupBarrier();
    let found = tile[at % 26u];
    if stop { return found; }
    *p = 5u;
    kept_u32[2] += found;
    return found * 3u;
}
)";

constexpr std::string_view grid_header =
    R"(@group(0) @binding(15) var<storage, read_write> meeting: array<u32>;
@group(0) @binding(16) var<storage, read_write> signals: array<atomic<u32>, 4>;
fn meet(g: u32, turn: u32, v: u32, at: u32, p: ptr<function, u32>) -> u32 {
    meeting[g] = v;
    gridBarrier();
    let found = meeting[at % 460u];
    kept_u32[1] ^= v;
    if turn == 1u { gridBarrier(); return found; }
    *p += found;
    gridBarrier();
    return found * 3u;
}
)";

}  // namespace

std::string RandomExpression::print() const {
    std::string out;
    std::size_t next = 0;
    for (char c : text) {
        if (c == '@') {
            out += arguments[next++].print();
        } else {
            out += c;
        }
    }
    return out;
}

void RandomStatement::print(std::string& to, int depth) const {
    std::size_t expression = 0, block = 0;
    to.append(static_cast<std::size_t>(depth) * 4, ' ');
    for (char c : text) {
        if (c == '@') {
            to += expressions[expression++].print();
        } else if (c == '#') {
            to += '\n';
            for (const RandomStatement& nested : blocks[block]) nested.print(to, depth + 1);
            ++block;
            to.append(static_cast<std::size_t>(depth) * 4, ' ');
        } else {
            to += c;
        }
    }
    to += '\n';
}

std::string RandomProgram::text() const {
    std::string out;
    if (kind == RandomKind::grid_barriers) out = "enable muster_grid_barrier;\n";
    out += header;
    if (kind == RandomKind::grid_barriers) out += grid_header;
    for (const RandomStatement& function : functions) function.print(out, 0);
    out += fmt::format(
        "@compute @workgroup_size({}) fn main(\n"
        "        @builtin(local_invocation_index) lid: u32, @builtin(workgroup_id) group_id: vec3u,\n"
        "        @builtin(global_invocation_id) place: vec3u, @builtin(num_workgroups) groups: vec3u) {{\n"
        "    let gid = group_id.x * {}u + lid;\n    let group = group_id.x;\n    var scratch_i32: array<i32, "
        "3>;\n"
        "    var scratch_u32: array<u32, 3>;\n    var scratch_f32: array<f32, 3>;\n    var scratch_record: "
        "Record;\n",
        workgroup_size, random_workgroup_size);
    for (const RandomStatement& statement : body) statement.print(out, 1);
    return out + "}\n";
}

RandomProgram random_program(std::uint64_t seed, RandomKind kind) { return Maker(seed, kind).make(); }

}  // namespace muster::testing
