// instructions.hpp - a sequence of SPIR-V instructions, as words.
//
//     Instructions names;
//     names.add(spv::Op::OpName, {id}, "saxpy");
//
// An instruction has at most 65,535 words; a longer one isn't written, and overflowed() becomes true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace muster::vulkan {

/// A SPIR-V id, or a literal among operands.
using Word = std::uint32_t;
using Id = Word;
inline constexpr Id no_id = 0;

class Instructions {
  public:
    using List = std::initializer_list<Word>;

    void add(spv::Op op, List operands, std::span<const Word> more = {});
    /// Appends an instruction with a string literal (nul-terminated, padded to whole words) after
    /// its operands, then `more`.
    void add(spv::Op op, List operands, std::string_view text, std::span<const Word> more = {});
    void append(const Instructions& other);

    std::size_t size() const { return words_.size(); }
    std::span<const Word> words() const { return words_; }
    bool overflowed() const { return overflowed_; }

  private:
    bool begin(spv::Op op, std::size_t operands);

    std::vector<Word> words_;
    bool overflowed_ = false;
};

}  // namespace muster::vulkan
