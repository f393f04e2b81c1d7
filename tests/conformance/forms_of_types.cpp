// Every type in every storage with every constructor. Each value is used in every context that it can have:
// indexed by constants and by variables, whole, passed, returned, compared, in parts, and, if it can be
// written, written in parts and through a pointer.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "conformance/form_types.hpp"
#include "conformance/forms.hpp"

namespace muster::conformance {
namespace {

using Kind = FormType::Kind;

// Statements that change a value in parts. `indent`: the prefix of each line.
std::string modified(const FormType& type, const std::string& value, std::uint32_t seed) {
    const auto line = [](const std::string& text) { return "    " + text + ";\n"; };
    const auto other = [&](const FormType& of, Constructor how) { return *value_text(of, how, ++seed); };
    const auto changed = [&](char sign) {
        if (type.scalar == 'b') return line(fmt::format("{0} = !{0}", value));
        const std::string by = other(type, Constructor::full);
        if (!is_narrow(type.scalar)) return line(fmt::format("{} {}= {}", value, sign, by));
        return line(fmt::format("{} = {}({} {} {})", value, type.name, computed_with(type, value), sign,
                                computed_with(type, by)));
    };
    if (type.kind == Kind::scalar) return changed('-');
    const FormType first = type.part(0);
    if (type.kind == Kind::structure) {
        const std::uint32_t last = type.part_count() - 1;
        return line(fmt::format("{}.{} = {}", value, type.members[0].name, other(first, Constructor::full))) +
               modified(type.part(last), value + "." + type.members[last].name, seed);
    }
    std::string text = line(fmt::format("{}[1] = {}", value, other(first, Constructor::full))) +
                       line(fmt::format("{}[at] = {}", value, other(first, Constructor::runtime))) +
                       line(fmt::format("{}[signed_at] = {}", value, other(first, Constructor::zero)));
    if (type.kind == Kind::array) return text + modified(first, value + "[0]", seed);
    return text + line(fmt::format("{0}.y = {0}.x", value)) + changed('+');
}

// A function that changes a value through a pointer; its name includes the storage, to be unique.
std::string touch_function(const FormType& type, const std::string& space) {
    return fmt::format("fn touch_{0}_{1}(p: ptr<{1}, {2}{3}>, at: u32, signed_at: i32) {{\n{4}}}\n",
                       type.word(), space, type.name, space == "storage" ? ", read_write" : "",
                       modified(type, "(*p)", 20));
}

// The path to a scalar, with variable indices where possible: ".rows[at][at]".
std::string deep_place(const FormType& type) {
    if (type.kind == Kind::scalar) return "";
    const std::uint32_t last = type.part_count() - 1;
    const std::string step = type.kind == Kind::structure ? "." + type.members[last].name : "[at]";
    return step + deep_place(type.part(last));
}

/// A value or variable under test, and how it is written.
struct Subject {
    const FormType& type;
    std::string text;        // an expression for the value or the variable
    std::string space = {};  // the address space of a variable that is written in parts
};

std::string read(const Subject& of) {
    const FormType& type = of.type;
    const std::string &e = of.text, word = type.word();
    std::string text = fmt::format("    result[0] = {};\n    result[1] = hash_{}(give_{}({}));\n",
                                   hashed(type, e), word, word, e);
    text += fmt::format("    var copy = {};\n{}    result[2] = {};\n", e, modified(type, "copy", 10),
                        hashed(type, "copy"));
    if (type.kind == Kind::vector || type.kind == Kind::array)
        text += fmt::format("    result[3] = {};\n    result[4] = {};\n", hashed(type.part(0), e + "[at]"),
                            hashed(type.part(0), e + "[signed_at]"));
    const Leaf last = leaves(type).back();
    if (!last.place.empty()) {
        text += fmt::format("    result[5] = {};\n", bits_of(last.scalar, e + last.place));
        text += fmt::format("    result[6] = {};\n", bits_of(last.scalar, e + deep_place(type)));
    }
    if (!type.is_plain()) return text;
    const std::string own = computed_with(type, e),
                      other = computed_with(type, *value_text(type, Constructor::full, 5));
    const bool is_scalar = type.kind == Kind::scalar;
    text +=
        fmt::format("    result[7] = select(0u, 1u, {}({} == {}));\n", is_scalar ? "" : "all", own, other);
    if (type.scalar != 'b')
        text +=
            fmt::format("    result[8] = select(0u, 1u, {}({} < {}));\n", is_scalar ? "" : "any", other, own);
    if (!is_scalar)
        text += fmt::format("    result[9] = {} + {};\n", hashed(vector_type(type.scalar, 2), e + ".yx"),
                            bits_of(type.scalar, e + ".x"));
    return text;
}

std::string written(const Subject& of) {
    const std::string hash = hashed(of.type, of.text);
    std::string text = modified(of.type, of.text, 30) + "    result[10] = " + hash + ";\n";
    text += fmt::format("    touch_{}_{}(&{}, at, signed_at);\n    result[11] = {};\n", of.type.word(),
                        of.space, of.text, hash);
    return text;
}

// Statements in which the first invocation writes, while the others wait.
std::string written_by_one(const Subject& of) {
    const std::string barrier =
        of.space == "storage" ? "    storageBarrier();\n" : "    workgroupBarrier();\n";
    return fmt::format(
        "{0}    if id == 0u {{\n{1}    touch_{2}_{3}(&{4}, at, signed_at);\n    }}\n{0}    result[10] = "
        "{5};\n",
        barrier, modified(of.type, of.text, 30), of.type.word(), of.space, of.text, hashed(of.type, of.text));
}

std::vector<std::string> shared_by(const Subject& of) {
    const FormType& type = of.type;
    std::vector<std::string> shared = type.structures();
    shared.push_back(hash_function(type));
    if (type.kind == Kind::vector || type.kind == Kind::array) shared.push_back(hash_function(type.part(0)));
    if (type.kind == Kind::vector) shared.push_back(hash_function(vector_type(type.scalar, 2)));
    shared.push_back(
        fmt::format("fn give_{}(v: {}) -> {} {{ return v; }}\n", type.word(), type.name, type.name));
    if (!of.space.empty()) shared.push_back(touch_function(type, of.space));
    return shared;
}

/// A storage for values: its declaration, and the expression that uses it.
struct Storage {
    std::string_view name, space;
    std::string_view at_module, in_function;  // {0}: the type with a colon, {1}: the initialiser
    std::string_view text;                    // an expression for the value or the variable
    bool constant = false;                    // made of constants only
};
constexpr Storage storages[] = {
    {"var", "function", "", "    var e{0} = {1};\n", "e"},
    {"let", "", "", "    let e{0} = {1};\n", "e"},
    {"const", "", "", "    const e{0} = {1};\n", "e", true},
    {"module const", "", "const c#{0} = {1};\n", "", "c#", true},
    {"private", "private", "var<private> p#{0} = {1};\n", "", "p#", true},
    {"private, assigned", "private", "var<private> p#: {2};\n", "    p# = {1};\n", "p#"},
    {"workgroup", "workgroup", "var<workgroup> w#: {2};\n",
     "    if id == 0u {{ w# = {1}; }}\n    workgroupBarrier();\n", "w#"},
    {"storage", "storage", "", "    if id == 0u {{ stored.m# = {1}; }}\n    storageBarrier();\n",
     "stored.m#"},
};

Form form_in(const Storage& storage, const FormType& type, Constructor how) {
    const std::string made = *value_text(type, how, 1);
    const std::string of_type = how == Constructor::inferred ? "" : ": " + type.name;
    const auto filled = [&](std::string_view text) {
        return fmt::format(fmt::runtime(text), of_type, made, type.name);
    };
    const bool is_shared = storage.space == "workgroup" || storage.space == "storage";
    const Subject subject{type, std::string(storage.text), std::string(storage.space)};
    Form form{.name = fmt::format("{} / {} / {}", type.name, storage.name, name_of(how)),
              .shared = shared_by(subject),
              .declarations = filled(storage.at_module),
              .body = filled(storage.in_function) + read(subject)};
    if (is_shared) form.body += written_by_one(subject);
    if (!is_shared && !storage.space.empty()) form.body += written(subject);
    if (storage.space == "storage") form.stored = type.name;
    return form;
}

Form form_without_initial(const FormType& type) {
    const Subject subject{type, "e", "function"};
    return {.name = type.name + " / var / none",
            .shared = shared_by(subject),
            .body = fmt::format("    var e: {};\n{}{}", type.name, read(subject), written(subject))};
}

Form form_of_parameter(const FormType& type, Constructor how) {
    const Subject subject{type, "e"};
    return {.name = fmt::format("{} / parameter / {}", type.name, name_of(how)),
            .shared = shared_by(subject),
            .declarations = fmt::format("fn used_#(e: {}, id: u32, at: u32, signed_at: i32) {{\n{}}}\n",
                                        type.name, read(subject)),
            .body = fmt::format("    used_#({}, id, at, signed_at);\n", *value_text(type, how, 1))};
}

Form form_of_buffer(const FormType& type, const std::string& name, std::string Form::*member) {
    const Subject subject{type, name + ".m#"};
    Form form{
        .name = fmt::format("{} / {}", type.name, name), .shared = shared_by(subject), .body = read(subject)};
    form.*member = type.name;
    return form;
}

Form form_of_override(const FormType& type) {
    const Subject subject{type, "o#"};
    return {.name = type.name + " / override / full",
            .shared = shared_by(subject),
            .declarations =
                fmt::format("override o#: {} = {};\n", type.name, *value_text(type, Constructor::full, 1)),
            .body = read(subject)};
}

/// All forms of a type, one row per storage.
std::vector<std::vector<Form>> rows_of(const FormType& type) {
    using enum Constructor;
    std::vector<Constructor> constructors;
    for (const Constructor how : {zero, full, inferred, splat, subvectors, zero_parts, runtime, mixed})
        if (value_text(type, how, 1)) constructors.push_back(how);
    std::vector<std::vector<Form>> rows;
    for (const Storage& storage : storages) {
        if (storage.space == "storage" && type.contains('b')) continue;
        rows.emplace_back();
        for (const Constructor how : constructors)
            if (!storage.constant || is_constant(how)) rows.back().push_back(form_in(storage, type, how));
    }
    rows[0].push_back(form_without_initial(type));
    rows.emplace_back();
    for (const Constructor how : constructors) rows.back().push_back(form_of_parameter(type, how));
    if (type.kind == Kind::scalar) rows.push_back({form_of_override(type)});
    if (type.contains('b')) return rows;
    rows.push_back({form_of_buffer(type, "given", &Form::given)});
    rows.push_back({form_of_buffer(type, "uniforms", &Form::uniform)});
    return rows;
}

}  // namespace

std::vector<Form> forms_of_types() {
    std::vector<Form> all;
    for (const FormType& type : form_types())
        for (std::vector<Form>& row : rows_of(type)) std::ranges::move(row, std::back_inserter(all));
    return all;
}

// Neighbouring forms have different constructors.
std::vector<Form> forms_of_types(std::size_t one_in) {
    std::vector<Form> some;
    std::size_t turn = 0;
    for (const FormType& type : form_types())
        for (std::vector<Form>& row : rows_of(type))
            if (++turn % one_in == 0) some.push_back(std::move(row[turn / one_in % row.size()]));
    return some;
}

}  // namespace muster::conformance
