#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/conformance/reduce.hpp>

namespace muster::conformance {
namespace {

/// A token of WGSL with the white space and comments before it.
struct Token {
    std::string before, text;
};
using Tokens = std::vector<Token>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

Tokens tokens_of(const std::string& text) {
    constexpr std::string_view pairs[] = {
        "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    Tokens tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
        while (text.compare(at, 2, "//") == 0) {
            at = std::min(text.find('\n', at), text.size());
            while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
        }
        const std::size_t begin = at;
        if (at == text.size()) break;
        if (is_word(text[at])) {
            while (at < text.size() && is_word(text[at])) ++at;
        } else {
            at += std::ranges::count(pairs, std::string_view(text).substr(at, 2)) != 0 ? 2 : 1;
        }
        tokens.push_back({text.substr(start, begin - start), text.substr(begin, at - begin)});
    }
    return tokens;
}

/// Tokens [begin, end) with other text in their place, none if it is empty.
struct Change {
    std::size_t begin, end;
    std::string text = {};
};
using Edit = std::vector<Change>;  // in order, apart from one another

std::size_t removed(const Edit& edit) {
    std::size_t count = 0;
    for (const Change& change : edit) count += change.end - change.begin;
    return count;
}

std::string edited(const Tokens& tokens, const Edit& edit) {
    std::string text;
    auto change = edit.begin();
    std::string_view space;  // before what was removed, for a token without its own
    for (std::size_t i = 0; i < tokens.size();) {
        if (change != edit.end() && change->begin == i && change->end > i) {
            space = {};
            if (change->text.empty())
                space = tokens[i].before;
            else
                text += tokens[i].before + change->text;
            i = change->end;
            ++change;
            continue;
        }
        text += tokens[i].before.empty() && is_word(tokens[i].text.front()) ? space : tokens[i].before;
        text += tokens[i].text;
        space = "";
        ++i;
    }
    return text;
}

/// The edits of one text. Brackets are matched first; what isn't balanced is left alone.
class Edits {
  public:
    explicit Edits(const Tokens& tokens) : tokens_(tokens), partner_(tokens.size(), 0) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (is(i, "{") || is(i, "(") || is(i, "[")) open.push_back(i);
            if ((is(i, "}") || is(i, ")") || is(i, "]")) && !open.empty()) {
                partner_[open.back()] = i;
                partner_[i] = open.back();
                open.pop_back();
            }
        }
        units(0, tokens.size(), false);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (partner_[i] <= i) continue;
            if (is(i, "{")) units(i + 1, partner_[i], i > 1 && is(i - 2, "struct"));
            if (is(i, "(") || is(i, "[")) arguments(i);
        }
        for (std::size_t i = 0; i < tokens.size(); ++i) operands(i);
        // The largest first; of two as large, the earlier.
        std::ranges::sort(edits_, std::ranges::greater{}, [&](const Edit& edit) {
            return std::pair(removed(edit), tokens_.size() - edit.front().begin);
        });
    }
    const std::vector<Edit>& all() const { return edits_; }

  private:
    bool is(std::size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].text == text;
    }
    /// The token behind this one, or behind its closing bracket.
    std::size_t after(std::size_t i) const { return partner_[i] > i ? partner_[i] + 1 : i + 1; }

    /// Removes each declaration, statement or (if `are_members`) member of [begin, end), or
    /// puts its block in its place.
    void units(std::size_t begin, std::size_t end, bool are_members) {
        std::size_t start = begin;
        for (std::size_t i = begin; i < end;) {
            const bool is_block = is(i, "{");
            const std::size_t block = i;
            const bool ends = is(i, ";") || is_block || (are_members && is(i, ","));
            i = after(i);
            if (!ends) continue;
            if (is_block && block > start) edits_.push_back({{start, block + 1}, {i - 1, i}});
            if (is_block && is(start, "else")) {
                edits_.push_back({{start, i}});  // the else alone; with its if below
            }
            if (is(i, "else")) {
                start = i;
                continue;
            }
            edits_.push_back({{first_of_chain(begin, start), i}});
            start = i;
        }
        if (are_members && start < end) edits_.push_back({{start, end}});  // the last, without a comma
    }
    /// The beginning of the statement that an else belongs to.
    std::size_t first_of_chain(std::size_t begin, std::size_t start) const {
        while (start > begin && is(start, "else")) {
            std::size_t i = partner_[start - 1];  // the block in front
            while (i > begin && !is(i - 1, ";") && !is(i - 1, "}") && !is(i - 1, "{") && !is(i, "else")) --i;
            start = i;
        }
        return start;
    }

    /// Puts one argument in place of a call or a bracket, and makes sizes 1.
    void arguments(std::size_t open) {
        const std::size_t close = partner_[open];
        const bool is_call = open > 0 && is_word(tokens_[open - 1].text.front());
        const std::size_t begin = is_call ? open - 1 : open;
        if (is_call && is(open - 1, "workgroup_size") && !(close == open + 2 && is(open + 1, "1")))
            edits_.push_back({{open + 1, close, "1"}});
        for (std::size_t i = open + 1, start = open + 1; i <= close;) {
            if (i != close && !is(i, ",")) {
                i = after(i);
                continue;
            }
            if (i > start && is(open, "(")) edits_.push_back({{begin, start}, {i, close + 1}});
            if (i > start) edits_.push_back({{start, is(i, ",") ? i + 1 : i}});  // a parameter
            start = ++i;
        }
    }

    bool is_operator(std::size_t i) const {
        constexpr std::string_view all[] = {"+", "-", "*",  "/",  "%",  "&",  "|",  "^",
                                            "<", ">", "==", "!=", "<=", ">=", "&&", "||"};
        return std::ranges::count(all, std::string_view(tokens_[i].text)) != 0;
    }
    bool ends_operand(std::size_t i) const {
        return i >= tokens_.size() || is_operator(i) || is(i, ",") || is(i, ";") || is(i, ")") ||
               is(i, "]") || is(i, "{") || is(i, "}") || is(i, "=");
    }
    /// Removes an operator with the operand behind it, or before it.
    void operands(std::size_t i) {
        if (!is_operator(i)) return;
        std::size_t end = i + 1;
        while (!ends_operand(end)) end = after(end);
        if (end > i + 1) edits_.push_back({{i, end}});
        std::size_t begin = i;
        while (begin > 0) {
            const std::size_t before = begin - 1;
            const bool closes = partner_[before] < before && (is(before, ")") || is(before, "]"));
            if (!closes &&
                (ends_operand(before) || is(before, "(") || is(before, "[") || is(before, "return")))
                break;
            begin = closes ? partner_[before] : before;
        }
        if (begin < i) edits_.push_back({{begin, i + 1}});
    }

    const Tokens& tokens_;
    std::vector<std::size_t> partner_;  // of each bracket; 0 for other tokens
    std::vector<Edit> edits_;
};

}  // namespace

std::string reduce(const std::string& text, const std::function<bool(const std::string&)>& holds,
                   std::chrono::steady_clock::time_point deadline) {
    std::string best = text;
    std::set<std::string> tried{text};
    const auto in_time = [&] { return std::chrono::steady_clock::now() < deadline; };
    for (bool progress = true; progress && in_time();) {
        progress = false;
        Tokens tokens = tokens_of(best);
        std::vector<Edit> edits = Edits(tokens).all();
        for (std::size_t i = 0; i < edits.size() && in_time(); ++i) {
            std::string candidate = edited(tokens, edits[i]);
            if (!tried.insert(candidate).second || !holds(candidate)) continue;
            progress = true;
            best = std::move(candidate);
            tokens = tokens_of(best);
            edits = Edits(tokens)
                        .all();  // as large as the one that worked, or smaller: larger ones have been tried
            i = std::min(i, edits.size());
        }
    }
    return best;
}

}  // namespace muster::conformance
