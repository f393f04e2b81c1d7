#include "support/random_program.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "support/random_expressions.hpp"

namespace muster::testing {
namespace {

using Expression = RandomExpression;
using Statement = RandomStatement;
using Block = std::vector<Statement>;

// Types that functions return, and that they get pointers to.
constexpr std::array<std::string_view, 9> passed_types{"i32",         "u32", "f32", "f16",      "vec3<f16>",
                                                       "mat2x2<f32>", "i16", "u64", "vec2<f64>"};

/// The name of the function variable that pointers to the type come from.
std::string lent(std::string_view type) {
    std::string name = "lent_" + std::string(type);
    std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
    return name;
}

// Declarations of the variables that the kernel and each function have, zero at first.
std::string own_variables() {
    std::string text = "var scratch_record = Record();";
    for (const char* type : {"i32", "u32", "f32", "f16", "i64", "u64", "f64"})
        text += fmt::format(" var scratch_{0} = array<{0}, 3>();", type);
    for (const std::string_view type : passed_types) text += fmt::format(" var {}: {};", lent(type), type);
    return text;
}

class Maker : RandomExpressions {
  public:
    Maker(std::uint64_t seed, RandomKind kind)
        : RandomExpressions(seed), kind_(kind), alone_(kind == RandomKind::usual && seed % 3 == 2) {}

    RandomProgram make() {
        static constexpr std::array<std::string_view, 12> sizes{
            "16", "16", "1", "5", "12", "24", "3, 5", "8, 2", "2, 2, 4", "4, 3, 2", "1, 7", "23"};
        RandomProgram program;
        program.kind = kind_;
        program.workgroup_size = one_of(sizes);
        if (alone_) program.body.push_back(place(program.workgroup_size));
        const int functions = pick(3);
        for (int i = 0; i < functions; ++i) program.functions.push_back(function(i));
        locals_ = everywhere();
        for (const char* name : {"gid", "lid", "group"}) locals_.push_back({name, "u32"});
        if (alone_) locals_.push_back({"here", "u32"});
        if (alone_ && row_ < all_ && chance(60)) return rows(std::move(program));
        if (kind_ == RandomKind::subgroups) return with_subgroups(std::move(program));
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
        if (chance(12)) return assignment_to_record();
        if (assignable.empty() || chance(15)) {
            const std::string type = any_number();
            return {chance(50) ? "scratch_" + type + "[@] = @;" : "kept_" + type + "[@ % 5u] = @;",
                    {expression("u32", 2), expression(type, 3)},
                    {}};
        }
        const Local target = assignable[static_cast<std::size_t>(pick(static_cast<int>(assignable.size())))];
        if (is_matrix(target.type)) return assignment_to_matrix(target);
        if (is_vector(target.type) && chance(40)) {
            return {
                target.name + "[@] = @;", {expression("u32", 2), expression(scalar_of(target.type), 3)}, {}};
        }
        if (scalar_of(target.type) != "bool" && !is_narrow(target.type) && chance(40)) {
            static constexpr std::array<std::string_view, 5> compound{"+=", "-=", "*=", "/=", "%="};
            return {fmt::format("{} {} @;", target.name, one_of(compound)), {expression(target.type, 3)}, {}};
        }
        return {target.name + " = @;", {expression(target.type, 3)}, {}};
    }

    // The whole of it, or a part.
    Statement assignment_to_record() {
        if (chance(20))
            return {chance(50) ? "scratch_record = kept_record;" : "kept_record = scratch_record;", {}, {}};
        const RecordPart& part = record_parts[static_cast<std::size_t>(pick(record_parts.size()))];
        Statement statement{
            (chance(50) ? "scratch_record" : "kept_record") + std::string(part.suffix) + " = @;", {}, {}};
        for (auto i = std::ranges::count(part.suffix, '@'); i > 0; --i)
            statement.expressions.push_back(expression("u32", 2));
        statement.expressions.push_back(expression(std::string(part.type), 3));
        return statement;
    }

    // The whole of it, a column or a component.
    Statement assignment_to_matrix(const Local& target) {
        const std::string scalar = scalar_of(target.type), &name = target.name;
        switch (pick(4)) {
            case 0:
                return {name + "[@] = @;",
                        {expression("u32", 2), expression(vector_of(target.type[5], scalar), 3)},
                        {}};
            case 1:
                return {name + "[@][@] = @;",
                        {expression("u32", 1), expression("u32", 1), expression(scalar, 3)},
                        {}};
            case 2:
                if (chance(50)) return {name + " *= @;", {expression(scalar, 3)}, {}};
                return {name + (chance(50) ? " += @;" : " -= @;"), {expression(target.type, 2)}, {}};
            default: return {name + " = @;", {expression(target.type, 3)}, {}};
        }
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
        if (chance(30)) return atomic_of_floats();
        if (chance(30)) return wide_atomic();
        const int which = pick(random_counters);
        const std::string operation = std::string(operations[static_cast<std::size_t>(which)]);
        return {fmt::format("{}(&counters[{}], @);", operation, which), {expression("u32", 2)}, {}};
    }

    // Likewise, of 64 bits.
    Statement wide_atomic() {
        if (!alone_ && chance(60)) {
            static constexpr std::array<std::string_view, 8> used{"atomicAdd",      "atomicSub", "atomicMax",
                                                                  "atomicMin",      "atomicXor", "atomicAnd",
                                                                  "atomicExchange", "atomicOr"};
            const std::string name = fresh("c");
            Statement statement{fmt::format("let {} = {}(&own_wide[lid], @);", name, one_of(used)),
                                {expression("i64", 2)},
                                {}};
            locals_.push_back({name, "i64", false});
            return statement;
        }
        static constexpr std::array<std::string_view, 3> operations{"atomicAdd", "atomicMin", "atomicXor"};
        const int which = pick(3);
        return {fmt::format("{}(&wide_totals[{}], @);", operations[static_cast<std::size_t>(which)], which),
                {expression("u64", 2)},
                {}};
    }

    // Likewise: sums of small integers are exact in any order.
    Statement atomic_of_floats() {
        if (!alone_ && chance(60)) {
            static constexpr std::array<std::string_view, 5> used{"atomicAdd", "atomicSub", "atomicMax",
                                                                  "atomicMin", "atomicExchange"};
            const std::string name = fresh("c");
            Statement statement{fmt::format("let {} = {}(&own_floats[lid], @);", name, one_of(used)),
                                {expression("f32", 2)},
                                {}};
            locals_.push_back({name, "f32", false});
            return statement;
        }
        switch (pick(3)) {
            case 0: return {"atomicAdd(&totals[0], f32(@ % 16u));", {expression("u32", 2)}, {}};
            case 1: return {"atomicMax(&totals[1], @);", {expression("f32", 2)}, {}};
            default: return {"atomicMin(&totals[2], @);", {expression("f32", 2)}, {}};
        }
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

    // Arrays whose elements are several words, or less than one; when an element is read, its parts become locals. Each
    // part is a type and a suffix. A whole own element is `made` of operands of these types, or of one expression.
    struct Element {
        std::string_view array, type, parts, made, operands;
    };
    static constexpr std::array<Element, 24> elements{
        {{"pairs", "vec2<f32>", "f32.x f32.y"},
         {"triples", "vec3<u32>", "u32.x u32.y u32.z"},
         {"quads", "vec4<u32>", "u32.x u32.z u32.w"},
         {"odds", "Odd", "u32.a f32.b i32.c"},
         {"wides", "Wide", "u32.a.x u32.a.w f32.b.y i32.c[1]"},
         {"halves", "f16", "f16"},
         {"thirds", "vec3<f16>", "f16.x f16.y f16.z"},
         {"mixed", "Mixed", "f16.a u32.b vec3<f16>.c f16.d mat2x3<f32>.e"},
         {"frames", "Frame", "mat3x2<f32>.a vec3<f32>.b[1] f32.c"},
         {"own_pairs", "vec2<f32>", "f32.x f32.y"},
         {"own_triples", "vec3<u32>", "u32.x u32.y u32.z"},
         {"own_quads", "vec4<u32>", "u32.x u32.y u32.z u32.w"},
         {"own_odds", "Odd", "u32.a f32.b i32.c", "Odd(@, @, @)", "u32 f32 i32"},
         {"own_halves", "f16", "f16"},
         {"own_thirds", "vec3<f16>", "f16.x f16.y f16.z"},
         {"own_packs", "Pack", "f16.a vec3<f16>.b f16.c f16.d[1] mat3x3<f16>.e vec3<f16>.e[2]",
          "Pack(@, @, @, array<f16, 3>(@, @, @), @)", "f16 vec3<f16> f16 f16 f16 f16 mat3x3<f16>"},
         {"own_frames", "Frame", "mat3x2<f32>.a vec2<f32>.a[2] mat2x3<f32>.b f32.b[0].z f32.c",
          "Frame(@, @, @)", "mat3x2<f32> mat2x3<f32> f32"},
         {"own_halves", "f16", "f16"},
         {"bytes", "vec4<u8>", "u8.x u8.w vec4<u8>"},
         {"shorts", "i16", "i16"},
         {"own_bytes", "u8", "u8"},
         {"own_smalls", "Small", "i8.a vec3<u8>.b u16.c u32.d i8.e[2]",
          "Small(@, @, @, @, array<i8, 5>(@, @, @, @, @))", "i8 vec3<u8> u16 u32 i8 i8 i8 i8 i8"},
         {"doubles", "vec2<f64>", "f64.x f64.y vec2<f64>"},
         {"own_longs", "Long", "u32.a f64.b vec3<u64>.c u64.c.y i64.d f64.e[1]", "Long(@, @, @, @, @)",
          "u32 f64 vec3<u64> i64 vec2<f64>"}}};
    static bool is_own(const Element& element) { return element.array.starts_with("own_"); }
    static std::vector<std::string_view> words_of(std::string_view text) {
        std::vector<std::string_view> words;
        while (!text.empty()) {
            words.push_back(text.substr(0, text.find(' ')));
            text.remove_prefix(std::min(text.size(), words.back().size() + 1));
        }
        return words;
    }
    static std::vector<Local> parts_of(const Element& element, const std::string& name) {
        std::vector<Local> parts;
        for (const std::string_view part : words_of(element.parts)) {
            const std::size_t end = std::min(part.find_first_of(".["), part.size());
            parts.push_back({name + std::string(part.substr(end)), std::string(part.substr(0, end))});
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
        if (element.made.empty()) return {place + " = @;", {expression(std::string(element.type), 3)}, {}};
        Statement whole{fmt::format("{} = {};", place, element.made), {}, {}};
        for (const std::string_view type : words_of(element.operands))
            whole.expressions.push_back(expression(std::string(type), 2));
        return whole;
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
        if (chance(35)) return shared_value();
        const std::string type = chance(60) ? "u32" : "f16", tile = type == "u32" ? "tile" : "half_tile";
        statement.text = fmt::format(
            "var {0}: {3}; for (var {1} = 0u; {1} < {2}u; {1}++) {{ {4}[lid] = @ + {3}({1}); "
            "workgroupBarrier(); {0} += {4}[@ % 20u]; workgroupBarrier(); #}}",
            name, rounds, looped ? 1 + pick(3) : 1, type, tile);
        statement.expressions = {expression(type, 3), expression("u32", 2)};
        locals_.push_back({name, type, true});
        statement.blocks.push_back(looped ? block(1, 2) : Block{});
        return statement;
    }

    // A value that one invocation writes and all load, maybe in a loop; a word then decides about another barrier.
    Statement shared_value() {
        struct Shared {
            std::string_view name, type;
        };
        static constexpr std::array<Shared, 4> all{{{"shared_word", "u32"},
                                                    {"shared_half", "f16"},
                                                    {"shared_vector", "vec3<f16>"},
                                                    {"shared_matrix", "mat2x2<f32>"}}};
        const Shared& shared = all[static_cast<std::size_t>(pick(all.size()))];
        const std::string type(shared.type), name = fresh("v"), loaded = fresh("c"), rounds = fresh("r");
        Statement statement{
            fmt::format(
                "var {0}: {1}; for (var {2} = 0u; {2} < {3}u; {2}++) {{ if lid == {4}u {{ {5} = @; }} "
                "let {6} = workgroupUniformLoad(&{5}); {0} = {6};",
                name, type, rounds, 1 + pick(2), pick(5), shared.name, loaded),
            {expression(type, 3)},
            {}};
        if (type == "u32") {
            statement.text += fmt::format(
                " if {0} % 3u == 0u {{ tile[lid] = @; workgroupBarrier(); {1} += "
                "tile[@ % 20u]; }} workgroupBarrier();",
                loaded, name);
            statement.expressions.push_back(expression("u32", 2));
            statement.expressions.push_back(expression("u32", 2));
        }
        statement.text += " #}";
        locals_.push_back({name, type, true});
        statement.blocks.push_back(block(1, 1));
        return statement;
    }

    Block last_stores() {
        Block stores;
        for (std::uint32_t slot = 0; slot < random_slots; ++slot)
            stores.push_back(
                {fmt::format("out[gid * {}u + {}u] ^= @;", random_slots, slot), {word_of_any()}, {}});
        return stores;
    }

    // The bits of a value of any type, or of a part of it.
    Expression word_of_any() {
        switch (pick(6)) {
            case 0: return made("u32", "bitcast<u32>(@)", {"f32"}, 4);
            case 1: return made("u32", "bitcast<u32>(@)", {"vec2<f16>"}, 4);
            case 2: return made("u32", "bitcast<u32>((@)[@][@])", {"mat2x3<f32>", "u32", "u32"}, 4);
            case 3: return made("u32", "bitcast<vec2<u32>>((@)[@]).y", {"mat2x4<f16>", "u32"}, 4);
            default: return expression("u32", 3);
        }
    }

    // Operations of subgroups, in control flow that is uniform over the subgroup, between statements of any kind. A value
    // from an invocation that isn't there is never used.
    RandomProgram with_subgroups(RandomProgram program) {
        static constexpr std::array<std::string_view, 8> sizes{"64", "32",   "16",      "8, 8",
                                                               "23", "7, 5", "5, 3, 4", "4"};
        program.workgroup_size = one_of(sizes);
        program.body.push_back({"let present = subgroupAdd(1u);", {}, {}});
        for (const char* name : {"lane", "size", "subgroup", "subgroups", "present"})
            locals_.push_back({name, "u32"});
        bool returned = false;
        for (int parts = 3 + pick(4); parts > 0; --parts) {
            for (Statement& statement : block(1 + pick(3), 3)) program.body.push_back(std::move(statement));
            for (int k = 1 + pick(2); k > 0; --k) program.body.push_back(meeting_of_lanes());
            if (!returned && chance(30)) program.body.push_back(phase());
            if (chance(10)) {  // no workgroup barrier follows
                returned = true;
                program.body.push_back(
                    {fmt::format("if {} == 1u {{ return; }}", same_in_subgroup()), {}, {}});
            }
        }
        for (Statement& statement : last_stores()) program.body.push_back(std::move(statement));
        return program;
    }

    // A number from 0 to 3 that is the same for all invocations of a subgroup.
    std::string same_in_subgroup() {
        switch (pick(5)) {
            case 0: return fmt::format("(words[{}] % 4u)", pick(40));
            case 1: return "(subgroup % 3u)";
            case 2: return "min(subgroups, 3u)";
            case 3: return fmt::format("(subgroupMax(lid * {}u) % 4u)", 3 + pick(9));
            default: return fmt::format("(subgroupBroadcastFirst(words[lid % 32u] >> {}u) % 4u)", pick(30));
        }
    }

    // `let NAME = an operation of subgroups;`, or of quads.
    Statement lanes(const std::string& name, const std::string& type) {
        const auto let = [&](std::string text, const std::vector<std::string>& parts) {
            return Statement{fmt::format("let {} = {};", name, text), made(type, "", parts, 3).arguments, {}};
        };
        const int n = pick(6);
        switch (pick(10)) {
            case 0:
                return let(fmt::format("select(@, subgroupShuffleUp(@, {0}u), lane >= {0}u)", n),
                           {type, type});
            case 1:
                return let(fmt::format("select(@, subgroupShuffleDown(@, {0}u), lane + {0}u < present)", n),
                           {type, type});
            case 2:
                return let(fmt::format("select(@, subgroupShuffleXor(@, {0}u), (lane ^ {0}u) < present)", n),
                           {type, type});
            case 3: return let("subgroupShuffle(@, @ % present)", {type, "u32"});
            case 4:
                return let(fmt::format("select(@, subgroupBroadcast(@, {0}u), {0}u < present)", n),
                           {type, type});
            case 5: return let("subgroupBroadcastFirst(@)", {type});
            case 6: {
                static constexpr std::array<std::string_view, 4> quads{
                    "quadSwapX(@)", "quadSwapY(@)", "quadSwapDiagonal(@)", "quadBroadcast(@, 2u)"};
                return let(fmt::format("select(@, {}, (lane | 3u) < present)", one_of(quads)), {type, type});
            }
            default: break;
        }
        static constexpr std::array<std::string_view, 11> all{
            "subgroupAdd",          "subgroupMul",          "subgroupInclusiveAdd", "subgroupExclusiveAdd",
            "subgroupInclusiveMul", "subgroupExclusiveMul", "subgroupMin",          "subgroupMax",
            "subgroupAnd",          "subgroupOr",           "subgroupXor"};
        const std::string scalar = scalar_of(type);
        const int count = scalar.starts_with('f') ? 8 : 11;
        return let(std::string(all[static_cast<std::size_t>(pick(count))]) + "(@)", {type});
    }

    Statement vote(const std::string& name) {
        switch (pick(4)) {
            case 0: return {fmt::format("let {} = subgroupAll(@);", name), {expression("bool", 3)}, {}};
            case 1: return {fmt::format("let {} = subgroupAny(@);", name), {expression("bool", 3)}, {}};
            case 2: return {fmt::format("let {} = subgroupElect();", name), {}, {}};
            default:
                return {fmt::format("let {} = all(subgroupBallot(@).xy == vec2<u32>(7u, 0u));", name),
                        {expression("bool", 3)},
                        {}};
        }
    }

    Statement meeting_of_lanes() {
        const std::string type = chance(60) ? any_number() : any_vector_of_numbers();
        const std::string name = fresh("v"), found = fresh("c"), round = fresh("r");
        const std::size_t visible = locals_.size();
        Statement statement{fmt::format("var {}: {} = @; ", name, type), {expression(type, 2)}, {}};
        const auto operation = [&](const std::string& as) {
            Block block{lanes(as, type)};
            locals_.push_back({as, type});
            block.push_back({fmt::format("{} = @;", name), {expression(type, 2)}, {}});
            return block;
        };
        const auto body = [&](Block first) {
            for (Statement& each : block(pick(2), 1)) first.push_back(std::move(each));
            locals_.resize(visible);
            statement.blocks.push_back(std::move(first));
        };
        switch (pick(7)) {
            case 0:  // in a loop
                statement.text +=
                    fmt::format("for (var {0} = 0u; {0} < {1}; {0}++) {{#}}", round, same_in_subgroup());
                body(operation(found));
                break;
            case 1:  // in both branches
                statement.text += fmt::format("if {} > 1u {{#}} else {{#}}", same_in_subgroup());
                body(operation(found));
                body(operation(found + "_"));
                break;
            case 2:  // in a switch
                statement.text +=
                    fmt::format("switch {} {{ case 1u {{#}} default {{#}} }}", same_in_subgroup());
                body(operation(found));
                body(operation(found + "_"));
                break;
            case 3:  // until all or any agree
                statement.text +=
                    fmt::format("for (var {0} = 0u; {0} < 4u; {0}++) {{ if subgroup{1}(@) {{ break; }} #}}",
                                round, chance(50) ? "Any" : "All");
                statement.expressions.push_back(expression("bool", 2));
                body(operation(found));
                break;
            case 4: {  // a vote
                statement = vote(found);
                locals_.push_back({found, "bool"});
                return statement;
            }
            case 5:  // in a function
                statement = {fmt::format("var {0}: u32 = @; let {1} = gathered(@, lane, &{0});", name, found),
                             {expression("u32", 2), expression("f16", 2)},
                             {}};
                locals_.push_back({name, "u32", true});
                locals_.push_back({found, "f16"});
                return statement;
            default: {
                statement = lanes(found, type);
                locals_.push_back({found, type});
                return statement;
            }
        }
        locals_.push_back({name, type, true});
        return statement;
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

    // What every function and the kernel can read: variables of its own, which it lends to functions, and a uniform.
    static std::vector<Local> everywhere() {
        std::vector<Local> locals{{"settings.turn", "mat3x3<f32>"},
                                  {"settings.half_turn", "mat2x4<f16>"},
                                  {"settings.shift", "vec3<f16>"},
                                  {"settings.scale", "f16"}};
        for (const std::string_view type : passed_types)
            locals.push_back({lent(type), std::string(type), true});
        return locals;
    }

    Statement function(int index) {
        const std::string type = one_of(passed_types), second = chance(50) ? "f32" : any_type();
        const std::string name = fmt::format("f{}", index), pointee = one_of(passed_types);
        locals_ = everywhere();
        locals_.push_back({"a", "u32"});
        locals_.push_back({"b", second});
        locals_.push_back({"(*p)", pointee, true});
        in_function_ = true;
        returned_ = type;
        Statement statement{
            fmt::format("fn {}(a: u32, b: {}, p: ptr<function, {}>) -> {} {{ {} # if @ {{ return @; }} # "
                        "return @; }}",
                        name, second, pointee, type, own_variables()),
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
        functions_.push_back({type, fmt::format("{}(@, @, &{})", name, lent(pointee)), {"u32", second}});
        return statement;
    }

    RandomKind kind_;
    int loops_ = 0, switches_ = 0;  // nesting around the current statement
    bool may_return_ = false;
    std::string returned_;             // in a function: its return type
    bool alone_ = false;               // invocations share no memory
    std::uint32_t row_ = 0, all_ = 0;  // invocations of the grid in x, and in total
};

constexpr std::string_view header = R"(@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> numbers: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>, 4>;
struct Record { a: u32, b: vec3<f32>, c: array<i32, 3>, d: f16, e: vec3<f16>, f: mat2x3<f32>, g: i8, h: vec4<u8>, i: array<i16, 3>, j: u16, k: u64, l: vec3<f64>, m: array<i64, 3> }
struct Odd { a: u32, b: f32, c: i32 }
struct Wide { a: vec4<u32>, b: vec2<f32>, c: array<i32, 2> }
struct Mixed { a: f16, b: u32, c: vec3<f16>, d: f16, e: mat2x3<f32> }
struct Frame { a: mat3x2<f32>, b: mat2x3<f32>, c: f32 }
struct Pack { a: f16, b: vec3<f16>, c: f16, d: array<f16, 3>, e: mat3x3<f16> }
struct Small { a: i8, b: vec3<u8>, c: u16, d: u32, e: array<i8, 5> }
struct Long { a: u32, b: f64, c: vec3<u64>, d: i64, e: vec2<f64> }
struct Settings { turn: mat3x3<f32>, half_turn: mat2x4<f16>, shift: vec3<f16>, scale: f16 }
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
@group(1) @binding(0) var<storage, read> fractions: array<f16>;
@group(1) @binding(1) var<storage, read> halves: array<f16>;
@group(1) @binding(2) var<storage, read> thirds: array<vec3<f16>>;
@group(1) @binding(3) var<storage, read> mixed: array<Mixed>;
@group(1) @binding(4) var<storage, read> frames: array<Frame>;
@group(1) @binding(5) var<storage, read_write> own_halves: array<f16>;
@group(1) @binding(6) var<storage, read_write> own_thirds: array<vec3<f16>>;
@group(1) @binding(7) var<storage, read_write> own_packs: array<Pack>;
@group(1) @binding(8) var<storage, read_write> own_frames: array<Frame>;
@group(1) @binding(9) var<uniform> settings: Settings;
@group(1) @binding(10) var<storage, read> bytes: array<vec4<u8>>;
@group(1) @binding(11) var<storage, read> shorts: array<i16>;
@group(1) @binding(12) var<storage, read_write> own_bytes: array<u8>;
@group(1) @binding(13) var<storage, read_write> own_smalls: array<Small>;
@group(1) @binding(14) var<storage, read_write> totals: array<atomic<f32>, 3>;
@group(1) @binding(15) var<storage, read> doubles: array<vec2<f64>>;
@group(1) @binding(16) var<storage, read_write> own_longs: array<Long>;
@group(1) @binding(17) var<storage, read_write> wide_totals: array<atomic<u64>, 3>;
var<workgroup> tile: array<u32, 24>;
var<workgroup> half_tile: array<f16, 24>;
var<workgroup> shared_word: u32;
var<workgroup> shared_half: f16;
var<workgroup> shared_vector: vec3<f16>;
var<workgroup> shared_matrix: mat2x2<f32>;
var<workgroup> own: array<atomic<u32>, 24>;
var<workgroup> own_floats: array<atomic<f32>, 24>;
var<workgroup> own_wide: array<atomic<i64>, 24>;
var<private> kept_record: Record;
var<private> kept_i32: array<i32, 5>;
var<private> kept_u32: array<u32, 5>;
var<private> kept_f32: array<f32, 5>;
var<private> kept_f16: array<f16, 5>;
var<private> kept_i64: array<i64, 5>;
var<private> kept_u64: array<u64, 5>;
var<private> kept_f64: array<f64, 5>;
fn k_i32(v: i32) -> i32 { return v; }
fn k_u32(v: u32) -> u32 { return v; }
fn k_f32(v: f32) -> f32 { return v; }
fn k_f16(v: f16) -> f16 { return v; }
fn k_i64(v: i64) -> i64 { return v; }
fn k_u64(v: u64) -> u64 { return v; }
fn k_f64(v: f64) -> f64 { return v; }
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

constexpr std::string_view subgroups_parameters =
    R"(,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32)";

constexpr std::string_view subgroups_header = R"(fn gathered(v: f16, l: u32, p: ptr<function, u32>) -> f16 {
    let b = subgroupBallot(v > 1.0h);
    if all(b == vec4<u32>()) { return subgroupMin(v); }
    *p += b.x;
    let sum = subgroupExclusiveAdd(v) + subgroupBroadcastFirst(v);
    if l > 2u { return sum; }
    return sum * 2.0h;
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
    std::string out = "enable f16, muster_int8_int16, muster_float_atomics, muster_int64, muster_float64;\n";
    if (kind == RandomKind::grid_barriers) out += "enable muster_grid_barrier;\n";
    if (kind == RandomKind::subgroups) out += "enable subgroups;\n";
    out += header;
    if (kind == RandomKind::grid_barriers) out += grid_header;
    if (kind == RandomKind::subgroups) out += subgroups_header;
    for (const RandomStatement& function : functions) function.print(out, 0);
    out += fmt::format(
        "@compute @workgroup_size({}) fn main(\n"
        "        @builtin(local_invocation_index) lid: u32, @builtin(workgroup_id) group_id: vec3u,\n"
        "        @builtin(global_invocation_id) place: vec3u, @builtin(num_workgroups) groups: vec3u{}) {{\n"
        "    let gid = group_id.x * {}u + lid;\n    let group = group_id.x;\n    {}\n",
        workgroup_size, kind == RandomKind::subgroups ? subgroups_parameters : "", random_workgroup_size,
        own_variables());
    for (const RandomStatement& statement : body) statement.print(out, 1);
    return out + "}\n";
}

RandomProgram random_program(std::uint64_t seed, RandomKind kind) { return Maker(seed, kind).make(); }

}  // namespace muster::testing
