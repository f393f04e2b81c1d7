// replay FOLDER [MUTATIONS] - runs a target over the texts of a folder and, for each, over some that are made from it by the
// fuzzer's mutator. Exit status: 0 if every fact held; a text on which the target crashes is named first.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mutate.hpp"
#include "target.hpp"

namespace {

struct Text {
    std::string name, text;
};

std::vector<Text> texts_of(const std::filesystem::path& folder) {
    std::vector<Text> texts;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        texts.push_back({entry.path().string(), std::string(std::istreambuf_iterator<char>(file), {})});
    }
    std::ranges::sort(texts, {}, &Text::name);
    return texts;
}

/// Keeps the text in a file beside the program while it is tried, for the case that the target crashes.
class Trials {
  public:
    explicit Trials(std::string program) : file_(std::move(program) + ".wgsl") {}
    ~Trials() { std::filesystem::remove(file_); }
    void run(const std::string& name, const std::string& text) {
        std::fprintf(stderr, "%s (in %s)\n", name.c_str(), file_.c_str());
        std::ofstream(file_, std::ios::binary) << text;
        muster::fuzz::check(text);
    }

  private:
    std::string file_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: replay FOLDER [MUTATIONS]\n");
        return 2;
    }
    const int mutations = argc > 2 ? std::atoi(argv[2]) : 0;
    const std::vector<Text> texts = texts_of(argv[1]);
    if (texts.empty()) {
        std::fprintf(stderr, "There are no files in %s.\n", argv[1]);
        return 1;
    }
    Trials trials(argv[0]);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        const auto& [name, text] = texts[k];
        trials.run(name, text);
        muster::interpreter::Random random(k);
        for (int n = 1; n <= mutations; ++n) {
            const Text& other = texts[random.below(static_cast<std::uint32_t>(texts.size()))];
            const bool splices = random.below(4) == 0;
            trials.run(name + ", mutation " + std::to_string(n),
                       splices ? muster::fuzz::spliced(text, other.text, random)
                               : muster::fuzz::mutated(text, random));
        }
    }
}
