#include <algorithm>

#include <muster/driver/c_text/prelude.hpp>
#include <muster/driver/c_text/texts.hpp>

namespace muster::c_text {
namespace {

/// A name or a definition for this width: $n is the width, $i, $u and $f are its types, $t has the top bit
/// set, and $m is the largest shift.
std::string spelled_out(std::string_view pattern, bool is_wide) {
    std::string text;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        if (pattern[at] != '$') {
            text += pattern[at];
            continue;
        }
        switch (pattern[++at]) {
            case 'n': text += is_wide ? "64" : "32"; break;
            case 'i': text += is_wide ? "@i64_t" : "@int"; break;
            case 'u': text += is_wide ? "@u64_t" : "@unsigned"; break;
            case 'f': text += is_wide ? "double" : "float"; break;
            case 't': text += is_wide ? "0x8000000000000000u" : "0x80000000u"; break;
            default: text += is_wide ? "63u" : "31u"; break;
        }
    }
    return text;
}

/// C's function as the dialect's language calls it.
std::string_view call_in(const Dialect& dialect, const Function& function) {
    const bool is_generic = dialect.language() == Language::opencl_c && function.name.ends_with("_f32");
    return function.call.substr(0, function.call.size() - (is_generic ? 1 : 0));
}

bool is_in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool is_called(const Dialect& dialect, std::string_view name) {
    const auto calls_it = [&](const Function& one) {
        return one.call == name || call_in(dialect, one) == name;
    };
    return !name.empty() &&
           (std::ranges::any_of(calls, calls_it) ||
            std::ranges::find(dialect.functions(), name, &Function::call) != dialect.functions().end());
}

std::string_view Prelude::call(std::string_view name) {
    if (has(std::string(name))) return name;
    const auto functions = dialect_.functions();
    const auto function = std::ranges::find(functions, name, &Function::name);
    if (function != functions.end()) {
        if (!function->definition.empty()) add(std::string(name), function->definition);
        return function->call.empty() ? name : function->call;
    }
    const auto* const of_c = std::ranges::find(calls, name, &Function::name);
    if (of_c != std::end(calls)) return call_in(dialect_, *of_c);
    const bool is_wide = name.ends_with("64");
    const auto* const defined = std::ranges::find_if(
        definitions, [&](const Definition& one) { return spelled_out(one.name, is_wide) == name; });
    if (defined != std::end(definitions))
        add(std::string(name), expanded(spelled_out(defined->text, is_wide)));
    return name;
}

// The functions that a definition calls are added before it.
std::string Prelude::expanded(std::string_view definition) {
    std::string text;
    for (std::size_t at = 0; at < definition.size();) {
        if (definition[at] != '@') {
            text += definition[at++];
            continue;
        }
        const std::size_t start = at + 1;
        for (++at; at < definition.size() && is_in_name(definition[at]);) ++at;
        const std::string_view word = definition.substr(start, at - start);
        if (word == "inline") {
            text += syntax_.function_head();
        } else if (word == "mark") {
            text += dialect_.function_mark();
        } else {
            const bool is_type = word == "int" || word == "unsigned" || word.ends_with("64_t");
            const bool is_cast = is_type && at < definition.size() && definition[at] == '(';
            const std::string called(call(word));
            text += is_cast && !syntax_.is_cpp() ? "(" + called + ")" : called;
        }
    }
    return text;
}

void Prelude::add(const std::string& key, std::string_view definition) {
    if (known_.insert(key).second) text_ += definition;
}

}  // namespace muster::c_text
