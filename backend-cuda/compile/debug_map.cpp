#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <muster/backend-cuda/compile/debug_map.hpp>

namespace muster::cuda {
namespace {

/// Splits a directive into words.
class DirectiveWords {
  public:
    explicit DirectiveWords(std::string_view line) : rest_(line) {}
    std::string_view next() {
        const std::size_t begin = rest_.find_first_not_of(" \t,");
        if (begin == rest_.npos) return {};
        rest_.remove_prefix(begin);
        const std::size_t end = rest_.find_first_of(" \t,");
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(word.size());
        return word;
    }
    std::optional<std::uint32_t> number() {
        const std::string_view word = next();
        std::uint32_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
        return value;
    }
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

template <class Visit>
void each_line(std::string_view text, Visit visit) {
    for (std::uint64_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        visit(number, text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
}

class PtxMap {
  public:
    PtxMap(const Program& program, const CudaSource& source) : program_(program) {
        for (const DebugEntry& entry : source.debug_map)
            known_.try_emplace({entry.source.file, entry.source.line}, entry);
    }

    // NVRTC makes file names absolute.
    void file(std::string_view line) {
        DirectiveWords words(line);
        (void)words.next();
        const auto number = words.number();
        const std::size_t begin = words.rest().find('"'), end = words.rest().rfind('"');
        if (!number || begin == line.npos || end <= begin) return;
        const std::string_view path = words.rest().substr(begin + 1, end - begin - 1);
        for (std::uint32_t f = 0; f < program_.files().size(); ++f) {
            const std::string& name = program_.files()[f].name;
            if (path == name || path.ends_with("/" + name)) files_[*number] = f;
        }
    }

    void place(std::uint64_t number, std::string_view line) {
        DebugEntry entry{number, {}, {}};
        for (const auto& [file, at] : places_in(line)) {
            const auto known_file = files_.find(file);
            if (known_file == files_.end()) continue;
            const auto known = known_.find({known_file->second, at});
            if (known == known_.end()) continue;
            entry.node = known->second.node;
            entry.source = known->second.source;
        }
        if (map_.empty() ? entry.source.line != 0 : map_.back().source != entry.source) map_.push_back(entry);
    }
    std::vector<DebugEntry> take() { return std::move(map_); }

  private:
    // `.loc 1 9 5, function_name $L__info_string0, inlined_at 2 12 7`: innermost first.
    static std::vector<std::pair<std::uint32_t, std::uint32_t>> places_in(std::string_view line) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
        const auto read = [&](std::string_view from) {
            DirectiveWords words(from);
            (void)words.next();
            const auto file = words.number(), at = words.number();
            if (file && at) places.emplace_back(*file, *at);
        };
        read(line);
        for (std::size_t at = line.find("inlined_at"); at != line.npos; at = line.find("inlined_at", at + 1))
            read(line.substr(at));
        return places;
    }

    const Program& program_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, DebugEntry> known_;  // by line of the source
    std::map<std::uint32_t, std::uint32_t> files_;  // the PTX's file number -> the program's
    std::vector<DebugEntry> map_;
};

std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == line.npos ? std::string_view{} : line.substr(begin);
}

}  // namespace

std::vector<DebugEntry> map_ptx(const Program& program, const CudaSource& source, std::string_view ptx) {
    PtxMap map(program, source);
    each_line(ptx, [&](std::uint64_t, std::string_view line) {
        if (trimmed(line).starts_with(".file")) map.file(trimmed(line));
    });
    each_line(ptx, [&](std::uint64_t number, std::string_view line) {
        if (trimmed(line).starts_with(".loc")) map.place(number, trimmed(line));
    });
    return map.take();
}

}  // namespace muster::cuda
