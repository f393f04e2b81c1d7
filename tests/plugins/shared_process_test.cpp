// A process of its own with the plugins of its environment: starts pieces/asks.cpp.
#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>

#include "kit.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// The output of `program` for `questions` in `environment`. A program that hangs is ended, and the test fails.
std::string answers(const std::string& environment, const std::string& questions,
                    const std::string& program = MUSTER_TEST_ASKS) {
    FILE* pipe =
        popen(("env " + environment + " timeout 60 " + program + " " + questions + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
    CHECK_MESSAGE(pclose(pipe) == 0, output);
    return output;
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
        const std::string output = answers(refused, std::string("sink ") + question + " list");
        CHECK_MESSAGE(mentions(output, "logged: The plugin " + file_of("foreign") + " is refused: "), output);
        CHECK_MESSAGE(mentions(output, "\n2 backends\n"), output);
        CHECK_MESSAGE(mentions(output, "listed alpha\nlisted own\n"), output);
    }
}

TEST_CASE(
    "a plugin whose constructor registers in code, reads again or loads isn't served, and doesn't hang") {
    const std::string output =
        answers(path_of({folder_of("eager"), folder_of("alpha")}), "load=eager list load=alpha list");
    CHECK_MESSAGE(mentions(output,
                           "register_backend: The backend \"from-constructor\" is registered by a "
                           "constructor, while muster opens the library " +
                               file_of("eager")),
                  output);
    CHECK_MESSAGE(mentions(output, "load: A constructor asks for the plugin " + file_of("alpha") +
                                       " while muster opens the library " + file_of("eager")),
                  output);
    CHECK_MESSAGE(mentions(output, "refreeze: done\n"), output);
    CHECK_MESSAGE(mentions(output, "\nloaded eager\n"), output);
    CHECK_MESSAGE(mentions(output, "listed alpha\nlisted eager\nlisted own\n"), output);
    CHECK_MESSAGE(mentions(output, "\nloaded alpha\n"), output);
    CHECK_FALSE(mentions(output, "listed from-constructor"));
}

TEST_CASE("the preferred backend may be a plugin's, and which better one failed is said") {
    const std::string unchecked = " MUSTER_CHECK_DEVICES=0";  // the doubles compute nothing
    CHECK(answers(path_of({folder_of("alpha")}) + unchecked, "preferred") == "alpha\n");
    CHECK(answers(path_of({folder_of("alpha")}) + unchecked + " MUSTER_AUTOLOAD=0", "preferred") == "own\n");
    const std::string output = answers(path_of({folder_of("undefined")}) + unchecked, "preferred preferred");
    CHECK_MESSAGE(
        mentions(output,
                 "warning: undefined failed, and any_kernel runs on own:0 (double 0) instead. The plugin " +
                     file_of("undefined") + " is refused: It doesn't open: "),
        output);
    CHECK_MESSAGE(output.ends_with("own\nown\n"), output);
}

TEST_CASE("what the linker dropped is acquired from a plugin that has it, and is named where none has") {
    const std::string program = MUSTER_TEST_EXPECTS;
    CHECK(answers(path_of({folder_of("alpha")}), "acquire=alpha", program) == "alpha\n");
    const std::string without = answers(path_of({folder_of("beta")}), "acquire=alpha", program);
    CHECK_MESSAGE(mentions(without, "dropped"), without);
    CHECK_MESSAGE(mentions(without, "\"alpha\""), without);
}

TEST_CASE("a plugin that is passed over for one of its backends gives the reason for the others") {
    for (const char* question : {"route=extra", "acquire=extra", "load=extra"}) {
        CAPTURE(question);
        const std::string output = answers(path_of({folder_of("pair")}), question);
        CHECK_MESSAGE(
            mentions(output, "The plugin " + file_of("pair") +
                                 " is passed over: The process has the backend \"own\" already, from "),
            output);
    }
    CHECK_FALSE(
        mentions(answers(path_of({folder_of("pair")}) + " MUSTER_CHECK_DEVICES=0", "preferred"), "warning"));
}

TEST_CASE("where MUSTER_AUTOLOAD=0 keeps plugins out, it is named beside a backend that isn't there") {
    const std::string path = path_of({folder_of("alpha")});
    for (const char* question : {"route=alpha", "acquire=alpha"}) {
        CAPTURE(question);
        CHECK(mentions(answers(path + " MUSTER_AUTOLOAD=0", question),
                       "MUSTER_AUTOLOAD=0 looks for no plugins"));
        CHECK_FALSE(mentions(answers(path, question), "MUSTER_AUTOLOAD"));
    }
    const std::string loaded = answers(path + " MUSTER_AUTOLOAD=0", "load=nobody load=alpha acquire=alpha");
    CHECK_FALSE(mentions(loaded, "MUSTER_AUTOLOAD"));
    CHECK(loaded.ends_with("loaded alpha\nalpha\n"));
}

TEST_CASE("a retired plugin stays out until it is loaded again, and its id says why") {
    const std::string path = path_of({folder_of("alpha")});
    const std::string output =
        answers(path + " MUSTER_CHECK_DEVICES=0",
                "load=alpha retire=alpha list acquire=alpha preferred route=alpha load=alpha acquire=alpha");
    CHECK_MESSAGE(output.starts_with("loaded alpha\nretired alpha\nlisted own\nThe plugin " +
                                     file_of("alpha") + " is retired: the program took it out."),
                  output);
    CHECK_MESSAGE(mentions(output, "\nown\n"), output);
    CHECK_MESSAGE(output.ends_with("\nloaded alpha\nalpha\n"), output);
    CHECK_FALSE(
        mentions(answers(path + " MUSTER_CHECK_DEVICES=0", "load=alpha retire=alpha preferred"), "warning"));
    CHECK(mentions(answers(path, "retire=own"), "No plugin that is loaded has a backend called \"own\"."));
    CHECK(
        mentions(answers(path, "retire=alpha"), "No plugin that is loaded has a backend called \"alpha\"."));
}
