#include <doctest/doctest.h>

#include <muster/driver/report/json.hpp>
#include <muster/driver/report/report.hpp>

namespace muster {
namespace {

TEST_CASE("JSON is printed with its members in order, and its text is UTF-8 whatever it is made of") {
    report::Json json{{"b", 1u}, {"a", -2}, {"real", 1.0}, {"half", 0.5}, {"yes", true}, {"none", nullptr}};
    json["list"].push_back("x");
    json["list"].push_back({{"y", report::Json::array()}});
    CHECK(json.text() ==
          R"({"b":1,"a":-2,"real":1.0,"half":0.5,"yes":true,"none":null,"list":["x",{"y":[]}]})");
    CHECK(report::Json("\"\\\n\x01\xc3\xa9\xff\xe2\x82").text() ==
          "\"\\\"\\\\\\n\\u0001\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    CHECK(report::Json(std::vector<std::string>{"a", "b"}).text() == R"(["a","b"])");
    CHECK(report::Json::object().text() == "{}");
}

TEST_CASE("An error as JSON leaves out what it doesn't have") {
    CHECK(report::of(Error{ErrorCode::refused, "No.", {}, {}}).text() ==
          R"({"code":"refused","message":"No."})");
    CHECK(report::of(Error{ErrorCode::refused, "No.", "ask", {"trying"}}).text() ==
          R"({"code":"refused","message":"No.","fix":"ask","while":["trying"]})");
}

}  // namespace
}  // namespace muster
