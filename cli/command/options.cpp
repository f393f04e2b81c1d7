#include <cstdint>

#include <CLI/CLI.hpp>

#include <muster/cli/command/options.hpp>

namespace muster::cli {

Options& Options::add(CLI::Option* option) {
    last_ = option;
    return *this;
}

Options& Options::argument(std::string& to, const char* name, const char* help) {
    return add(app_.add_option(name, to, help)->required());
}

Options& Options::flag(bool& to, const char* name, const char* help) {
    return add(app_.add_flag(name, to, help));
}

template <class Value>
Options& Options::value(Value& to, const char* name, const char* kind, const char* help) {
    return add(app_.add_option(name, to, help)->type_name(kind));
}
template Options& Options::value(std::string&, const char*, const char*, const char*);
template Options& Options::value(std::uint32_t&, const char*, const char*, const char*);
template Options& Options::value(std::uint64_t&, const char*, const char*, const char*);
template Options& Options::value(double&, const char*, const char*, const char*);

template <class Value>
Options& Options::values(std::vector<Value>& to, const char* name, const char* kind, const char* help) {
    return add(app_.add_option(name, to, help)->type_name(kind)->allow_extra_args(false));
}
template Options& Options::values(std::vector<std::string>&, const char*, const char*, const char*);
template Options& Options::values(std::vector<std::uint64_t>&, const char*, const char*, const char*);

Options& Options::list(std::vector<std::string>& to, const char* name, const char* kind, const char* help) {
    values(to, name, kind, help);
    return add(last_->delimiter(','));
}

Options& Options::output(std::string& to, const char* name, const char* help) {
    value(to, name, "FILE", help);
    return add(last_->transform([](std::string file) { return file == "/dev/stdout" ? "-" : file; }));
}

Options& Options::required() { return add(last_->required()); }

Options& Options::one_of(const std::vector<std::string>& values) {
    return add(last_->check(CLI::IsMember(values)));
}

template <class Number>
Options& Options::within(Number least, Number most) {
    return add(last_->check(CLI::Range(least, most)));
}
template Options& Options::within(std::uint32_t, std::uint32_t);
template Options& Options::within(std::uint64_t, std::uint64_t);
template Options& Options::within(double, double);

Options& Options::check(std::string (*problem)(const std::string&)) { return add(last_->check(problem)); }

Options& Options::needs(const char* name) { return add(last_->needs(app_.get_option(name))); }

Options& Options::excludes(const char* name) { return add(last_->excludes(app_.get_option(name))); }

void Options::footer(const std::string& text) { app_.footer(text); }

}  // namespace muster::cli
