#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/einsum.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

constexpr char dots = '.';  // for all three

/// Letters, and one dot for "...".
Result<std::string> term_of(std::string_view text) {
    std::string term;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 3) == "..." && term.find(dots) == std::string::npos) {
            term += dots;
            i += 2;
        } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
            term += text[i];
        } else {
            return wrong(fmt::format("Its equation has \"{}\", where letters and one \"...\" may stand.",
                                     printable(text)));
        }
    }
    return term;
}

struct Terms {
    std::vector<std::string> inputs;
    std::optional<std::string> output;
};

Result<Terms> terms_of(std::string_view equation) {
    std::string text(equation);
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    Terms terms;
    if (arrow != std::string::npos) terms.output = TRY(term_of(std::string_view(text).substr(arrow + 2)));
    std::string_view rest = std::string_view(text).substr(0, arrow);
    for (std::size_t end = 0; end != std::string_view::npos;
         rest.remove_prefix(std::min(end, rest.size() - 1) + 1)) {
        end = rest.find(',');
        terms.inputs.push_back(TRY(term_of(rest.substr(0, end))));
        if (end == std::string_view::npos) break;
    }
    return terms;
}

/// The letters that occur once, behind "..." if a term has it.
std::string implied_output(const std::vector<std::string>& inputs) {
    std::map<char, int> counts;
    for (const std::string& term : inputs) {
        for (const char letter : term) ++counts[letter];
    }
    std::string output;
    for (const auto& [letter, count] : counts) {
        if (letter == dots || count == 1) output += letter;  // '.' is before all letters
    }
    return output;
}

class Labels {
  public:
    explicit Labels(std::size_t broadcast) : broadcast_(broadcast), count_(broadcast) {}

    /// The labels of a term with `dotted` axes for "...", the last ones of all that some input has.
    std::vector<std::size_t> of(std::string_view term, std::size_t dotted) {
        std::vector<std::size_t> labels;
        for (const char letter : term) {
            if (letter == dots) {
                for (std::size_t i = broadcast_ - dotted; i < broadcast_; ++i) labels.push_back(i);
                continue;
            }
            const auto [found, added] = letters_.emplace(letter, count_);
            if (added) ++count_;
            labels.push_back(found->second);
        }
        return labels;
    }
    std::size_t count() const { return count_; }

  private:
    std::size_t broadcast_, count_;
    std::map<char, std::size_t> letters_;
};

}  // namespace

Result<EinsumPlan> einsum_plan(std::string_view equation, std::span<const std::size_t> ranks) {
    const Terms terms = TRY(terms_of(equation));
    if (terms.inputs.size() != ranks.size()) {
        return wrong(fmt::format("Its equation \"{}\" has {} terms, and it has {} inputs.",
                                 printable(equation), terms.inputs.size(), ranks.size()));
    }
    EinsumPlan plan;
    std::vector<std::size_t> dotted;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const bool has_dots = terms.inputs[i].find(dots) != std::string::npos;
        const std::size_t letters = terms.inputs[i].size() - (has_dots ? 1 : 0);
        if (letters > ranks[i] || (!has_dots && letters != ranks[i])) {
            return wrong(fmt::format("Input {} has {} axes, and its term in \"{}\" has {} letters.", i,
                                     ranks[i], printable(equation), letters));
        }
        dotted.push_back(ranks[i] - letters);
        plan.broadcast_count = std::max(plan.broadcast_count, dotted.back());
    }
    Labels labels(plan.broadcast_count);
    for (std::size_t i = 0; i < ranks.size(); ++i)
        plan.inputs.push_back(labels.of(terms.inputs[i], dotted[i]));
    plan.label_count = labels.count();
    const std::string output = terms.output.value_or(implied_output(terms.inputs));
    plan.output = labels.of(output, plan.broadcast_count);
    if (labels.count() > plan.label_count)
        return wrong(
            fmt::format("Its equation \"{}\" has a letter in its result alone.", printable(equation)));
    std::vector<std::size_t> sorted = plan.output;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
        return wrong(
            fmt::format("Its equation \"{}\" has a letter twice in its result.", printable(equation)));
    return plan;
}

Result<void> infer_einsum(Inference& node) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < node.input_count(); ++i) ranks.push_back(node.rank(i));
    const EinsumPlan plan = TRY(einsum_plan(node.attributes().text("equation"), ranks));
    std::vector<std::optional<Dimension>> sizes(plan.label_count);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        for (std::size_t axis = 0; axis < ranks[i]; ++axis) {
            const std::size_t label = plan.inputs[i][axis];
            std::optional<Dimension>& size = sizes[label];
            const Dimension& here = node.shape(i)[axis];
            if (!size || (label < plan.broadcast_count && *size == Dimension(1))) {
                size = here;
            } else if (label >= plan.broadcast_count || here != Dimension(1)) {
                if (provably_different(*size, here)) {
                    return wrong(fmt::format("{}, and its axis {} has the size {} in an input before.",
                                             node.describe(i), axis, to_string(*size)));
                }
                size = TRY(common(*size, here));
            }
        }
    }
    Shape shape;
    for (const std::size_t label : plan.output) shape.push_back(*sizes[label]);
    node.set_shape(0, std::move(shape));
    return {};
}

}  // namespace muster::graph
