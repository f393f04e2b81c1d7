// What a process of its own does with the plugins of its environment: pieces/asks.cpp, run here.
#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>

#include "kit.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// All that `program` prints, asked `questions` in `environment`. One that hangs is ended, and fails.
std::string answers(const std::string& environment, const std::string& questions,
                    const std::string& program = MUSTER_TEST_ASKS) {
    FILE* pipe =
        popen(("env " + environment + " timeout 60 " + program + " " + questions + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string said;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
    CHECK_MESSAGE(pclose(pipe) == 0, said);
    return said;
}

std::string path_of(std::initializer_list<std::string> folders) {
    std::string all;
    for (const std::string& folder : folders) all += (all.empty() ? "" : ":") + folder;
    return "MUSTER_BACKEND_PATH=" + all;
}

}  // namespace

TEST_CASE("a log sink may ask for backends, when a refused plugin is logged too") {
    const std::string refused = path_of({folder_of("foreign"), folder_of("alpha")}) + " MUSTER_LOG=info";
    for (const char* question : {"list", "route=alpha", "acquire=alpha"}) {
        CAPTURE(question);
        const std::string said = answers(refused, std::string("sink ") + question + " list");
        CHECK_MESSAGE(mentions(said, "logged: The plugin " + file_of("foreign") + " is refused: "), said);
        CHECK_MESSAGE(mentions(said, "\n2 backends\n"), said);
        CHECK_MESSAGE(mentions(said, "listed alpha\nlisted own\n"), said);
    }
}

TEST_CASE(
    "a plugin whose constructor registers in code, reads again or loads isn't served, and doesn't hang") {
    const std::string said =
        answers(path_of({folder_of("eager"), folder_of("alpha")}), "load=eager list load=alpha list");
    CHECK_MESSAGE(mentions(said,
                           "register_backend: The backend \"from-constructor\" is registered by a "
                           "constructor, while muster opens the library " +
                               file_of("eager")),
                  said);
    CHECK_MESSAGE(mentions(said, "load: A constructor asks for the plugin " + file_of("alpha") +
                                     " while muster opens the library " + file_of("eager")),
                  said);
    CHECK_MESSAGE(mentions(said, "refreeze: done\n"), said);
    CHECK_MESSAGE(mentions(said, "\nloaded eager\n"), said);
    CHECK_MESSAGE(mentions(said, "listed alpha\nlisted eager\nlisted own\n"), said);
    CHECK_MESSAGE(mentions(said, "\nloaded alpha\n"), said);
    CHECK_FALSE(mentions(said, "listed from-constructor"));
}
