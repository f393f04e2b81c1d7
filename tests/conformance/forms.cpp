#include "conformance/forms.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

namespace muster::conformance {
namespace {

constexpr std::uint32_t words_per_form = form_invocations * form_results;

constexpr const char* program_head = R"(enable f16, muster_int8_int16;
@group(0) @binding(0) var<storage, read> words: array<u32, 16>;
@group(0) @binding(1) var<storage, read> ints: array<i32, 16>;
@group(0) @binding(2) var<storage, read> numbers: array<f32, 16>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
)";

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// The text with the form's number and its words of `out` inserted.
std::string numbered(std::string text, std::size_t number) {
    replace_all(text, "result[", fmt::format("out[{}u + id * {}u + ", number * words_per_form, form_results));
    replace_all(text, "#", std::to_string(number));
    return text;
}

std::string buffer(std::span<const Form> forms, std::string Form::*member, std::string_view structure,
                   std::string_view variable) {
    std::string members;
    for (std::size_t k = 0; k < forms.size(); ++k)
        if (!(forms[k].*member).empty())
            members += fmt::format("    m{}: {},\n", k, numbered(forms[k].*member, k));
    if (members.empty()) return "";
    return fmt::format("struct {} {{\n{}}}\n{}: {};\n", structure, members, variable, structure);
}

std::string text_of(std::span<const Form> forms) {
    std::vector<std::string> shared;
    std::string declarations, functions, calls;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        for (const std::string& one : forms[k].shared)
            if (std::ranges::find(shared, one) == shared.end()) shared.push_back(one);
        declarations += numbered(forms[k].declarations, k);
        functions += fmt::format("fn form_{}(id: u32, at: u32, signed_at: i32) {{  // {}\n{}}}\n", k,
                                 forms[k].name, numbered(forms[k].body, k));
        calls += fmt::format("    form_{}(id, at, signed_at);\n", k);
    }
    std::string text = program_head;
    for (const std::string& one : shared) text += one;
    text += buffer(forms, &Form::stored, "Stored", "@group(0) @binding(4) var<storage, read_write> stored");
    text += buffer(forms, &Form::given, "Given", "@group(0) @binding(5) var<storage, read> given");
    text += buffer(forms, &Form::uniform, "Uniforms", "@group(0) @binding(6) var<uniform> uniforms");
    return text + declarations + functions +
           fmt::format(
               "@compute @workgroup_size({}) fn main(@builtin(local_invocation_index) id: u32) {{\n"
               "    let at = words[id];\n    let signed_at = ints[id];\n{}}}\n",
               form_invocations, calls);
}

/// Words that are floats between 1 and 2.
Values pattern(std::size_t count) {
    Values values{Scalar::u32, std::vector<std::uint32_t>(count)};
    for (std::size_t k = 0; k < count; ++k)
        values.words[k] = 0x3f800000u + static_cast<std::uint32_t>(k * 40503u % 0x7fffffu);
    return values;
}

}  // namespace

Case case_of(std::span<const Form> forms) {
    Case made;
    made.name =
        forms.size() == 1 ? forms[0].name : fmt::format("{} to {}", forms.front().name, forms.back().name);
    made.text = text_of(forms);
    constexpr std::size_t most_words = 4096;
    made.bind["words"] = {Scalar::u32, {0, 1, 2, 77, 3, 5, 7, 11, 13, 17, 1, 0, 31, 4, 9, 0x80000001u}};
    const auto negative = [](int value) { return static_cast<std::uint32_t>(value); };
    made.bind["ints"] = {
        Scalar::i32,
        {0, 1, negative(-1), 5, 2, negative(-3), 7, negative(-40), 13, 17, 1, 0, negative(-7), 4, 9, 100}};
    Values& numbers = made.bind["numbers"] = {Scalar::f32, {}};
    for (int k = 0; k < 16; ++k)
        numbers.words.push_back(std::bit_cast<std::uint32_t>(0.375f * static_cast<float>(k * k) - 5.5f));
    made.bind["out"] = {Scalar::u32, std::vector<std::uint32_t>(words_per_form * forms.size())};
    for (const char* const name : {"stored", "given", "uniforms"}) made.bind[name] = pattern(most_words);
    return made;
}

std::vector<Form> chosen_forms(std::size_t usually, std::size_t with_all) {
    const std::size_t one_in = std::getenv("MUSTER_TEST_ALL") != nullptr ? with_all : usually;
    std::vector<Form> chosen = one_in == 1 ? forms_of_types() : forms_of_types(one_in);
    const std::vector<Form> operations = forms_of_operations(one_in == 1);
    for (std::size_t k = 0; k < operations.size(); k += one_in) chosen.push_back(operations[k]);
    std::ranges::move(forms_of_statements(), std::back_inserter(chosen));
    return chosen;
}

std::vector<std::span<const Form>> in_groups(std::span<const Form> forms, std::size_t size) {
    std::vector<std::span<const Form>> groups;
    for (std::size_t k = 0; k < forms.size(); k += size)
        groups.push_back(forms.subspan(k, std::min(size, forms.size() - k)));
    return groups;
}

std::vector<std::string> faults_of(std::span<const Form> forms, std::size_t group_size,
                                   const std::function<std::string(const Case&)>& check) {
    std::vector<std::string> faults;
    for (const std::span<const Form> group : in_groups(forms, group_size)) {
        const std::string together = check(case_of(group));
        if (together.empty()) continue;
        const std::size_t before = faults.size();
        for (std::size_t k = 0; k < group.size(); ++k)
            if (const std::string alone = check(case_of(group.subspan(k, 1))); !alone.empty())
                faults.push_back(group[k].name + ": " + alone);
        if (faults.size() == before) faults.push_back(case_of(group).name + ", together only: " + together);
    }
    return faults;
}

}  // namespace muster::conformance
