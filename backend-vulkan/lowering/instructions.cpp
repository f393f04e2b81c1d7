#include <muster/backend-vulkan/lowering/instructions.hpp>

namespace muster::vulkan {

bool Instructions::begin(spv::Op op, std::size_t operands) {
    const std::size_t count = operands + 1;
    if (count > 0xffff) {
        overflowed_ = true;
        return false;
    }
    words_.push_back(static_cast<Word>(count << spv::WordCountShift) | static_cast<Word>(op));
    return true;
}

void Instructions::add(spv::Op op, List operands, std::span<const Word> more) {
    if (!begin(op, operands.size() + more.size())) return;
    words_.insert(words_.end(), operands.begin(), operands.end());
    words_.insert(words_.end(), more.begin(), more.end());
}

void Instructions::add(spv::Op op, List operands, std::string_view text, std::span<const Word> more) {
    const std::size_t text_words = text.size() / 4 + 1;
    if (!begin(op, operands.size() + text_words + more.size())) return;
    words_.insert(words_.end(), operands.begin(), operands.end());
    const std::size_t first = words_.size();
    words_.resize(first + text_words, 0);
    for (std::size_t i = 0; i < text.size(); ++i)
        words_[first + i / 4] |= Word{static_cast<unsigned char>(text[i])} << (8 * (i % 4));
    words_.insert(words_.end(), more.begin(), more.end());
}

void Instructions::append(const Instructions& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
    overflowed_ = overflowed_ || other.overflowed_;
}

}  // namespace muster::vulkan
