#include <algorithm>

#include <muster/backend-vulkan/lowering/module.hpp>

namespace muster::vulkan {
namespace {

// Longest name that is kept, in bytes: names are for people to read.
constexpr std::size_t most_of_a_name = 400;

// Cuts between characters of UTF-8.
std::string_view shortened(std::string_view text) {
    if (text.size() <= most_of_a_name) return text;
    std::size_t end = most_of_a_name;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end);
}

}  // namespace

Word spirv_version(VulkanVersion version) {
    switch (version) {
        case VulkanVersion::v1_1: return 0x00010300;
        case VulkanVersion::v1_2: return 0x00010500;
        case VulkanVersion::v1_3: return 0x00010600;
    }
    return 0;
}

Module::Module(VulkanVersion version) : version_(spirv_version(version)) { require(spv::Capability::Shader); }

Id Module::glsl() {
    if (glsl_ == no_id) glsl_ = id();
    return glsl_;
}

Id Module::type(spv::Op op, Instructions::List operands, std::span<const Word> more) {
    std::vector<Word> key{static_cast<Word>(op)};
    key.insert(key.end(), operands);
    key.insert(key.end(), more.begin(), more.end());
    const auto [at, is_new] = declared_.try_emplace(std::move(key), no_id);
    if (is_new) {
        at->second = id();
        globals.add(op, {at->second}, std::span(at->first).subspan(1));
    }
    return at->second;
}

Id Module::constant(spv::Op op, Id type, std::span<const Word> operands) {
    std::vector<Word> key{static_cast<Word>(op), type};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [at, is_new] = declared_.try_emplace(std::move(key), no_id);
    if (is_new) {
        at->second = id();
        globals.add(op, {type, at->second}, operands);
    }
    return at->second;
}

void Module::name(Id id, std::string_view text) {
    if (!text.empty()) names_.add(spv::Op::OpName, {id}, shortened(text));
}

void Module::name_member(Id structure, Word member, std::string_view text) {
    names_.add(spv::Op::OpMemberName, {structure, member}, shortened(text));
}

void Module::decorate(Id id, spv::Decoration decoration, Instructions::List operands) {
    decorations_.add(spv::Op::OpDecorate, {id, static_cast<Word>(decoration)}, std::span(operands));
}

void Module::decorate_member(Id structure, Word member, spv::Decoration decoration,
                             Instructions::List operands) {
    decorations_.add(spv::Op::OpMemberDecorate, {structure, member, static_cast<Word>(decoration)},
                     std::span(operands));
}

Id Module::string(std::string_view text) {
    if (const auto known = strings_.find(text); known != strings_.end()) return known->second;
    const Id made = id();
    std::string printable(text);  // a disassembly has one line per instruction
    std::ranges::replace_if(
        printable, [](unsigned char c) { return c < 0x20; }, ' ');
    string_section_.add(spv::Op::OpString, {made}, printable);
    strings_.emplace(text, made);
    return made;
}

Module::Assembled Module::assemble(const Instructions& function) const {
    Instructions head;
    for (const Word capability : capabilities_) head.add(spv::Op::OpCapability, {capability});
    for (const std::string& extension : extensions_) head.add(spv::Op::OpExtension, {}, extension);
    if (glsl_ != no_id) head.add(spv::Op::OpExtInstImport, {glsl_}, "GLSL.std.450");
    head.add(spv::Op::OpMemoryModel, {static_cast<Word>(spv::AddressingModel::Logical),
                                      static_cast<Word>(spv::MemoryModel::GLSL450)});
    for (const Instructions* section :
         {&entry_points, &execution_modes, &string_section_, &sources, &names_, &decorations_, &globals})
        head.append(*section);

    constexpr Word generator = 0;  // 0: not registered
    Assembled made{.words = {spv::MagicNumber, version_, generator, bound(), 0}};
    const auto append = [&](const Instructions& part) {
        made.words.insert(made.words.end(), part.words().begin(), part.words().end());
        made.overflowed = made.overflowed || part.overflowed();
    };
    append(head);
    made.function_at = made.words.size();
    append(function);
    return made;
}

}  // namespace muster::vulkan
