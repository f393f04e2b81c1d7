#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/platform/fork.hpp>
#include <muster/driver/platform/live_file.hpp>
#include <muster/driver/platform/process.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::trace {

std::atomic<bool> recording{false};

namespace {

constexpr std::uint64_t bytes_at_a_time = std::uint64_t{1} << 20;
constexpr std::size_t most_texts = 1 << 16;   // what is kept of programs' and devices' names
constexpr std::size_t most_characters = 100;  // of a name
constexpr std::size_t event_bytes = 640;      // the longest event

/// How each trace begins: a file that begins otherwise is never replaced.
constexpr std::string_view beginning = R"({"displayTimeUnit":"ns","otherData":{"muster":)";

/// A list can't end with a comma, so this event always stands at the file's end, behind the spaces that
/// events are written over. It is as long with any count.
std::string last_event(std::uint64_t left_out) {
    const std::string count = std::to_string(left_out);
    return fmt::format(
        "{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_labels\",\"args\":{{\"labels\":\"muster {}, "
        "{} events left out\"}}}}{}\n]}}\n",
        platform::process_number(), version, count, std::string(20 - count.size(), ' '));
}

/// A name as JSON has it, cut to `most_characters`.
std::string json_text(std::string_view text) {
    std::string safe = printable(text.substr(0, 4 * most_characters)), quoted;
    if (safe.size() > most_characters) {
        std::size_t end = most_characters;
        while ((static_cast<unsigned char>(safe[end]) & 0xc0) == 0x80) --end;  // a character isn't cut
        safe.resize(end);
    }
    for (const char character : safe) {
        if (character == '"' || character == '\\') quoted += '\\';
        quoted += character;
    }
    return quoted;
}

bool is_plain(std::string_view text) {
    return text.size() <= most_characters && std::ranges::all_of(text, [](char character) {
               return character >= ' ' && character <= '~' && character != '"' && character != '\\';
           });
}

/// An event while it is composed, without an allocation or a system call for the names that programs usually have.
class EventText {
  public:
    EventText& operator<<(std::string_view text) {
        const std::size_t count = std::min(text.size(), event_bytes - size_);
        std::memcpy(text_ + size_, text.data(), count);
        size_ += count;
        return *this;
    }
    EventText& operator<<(std::uint64_t number) {
        const fmt::format_int digits(number);
        return *this << std::string_view(digits.data(), digits.size());
    }
    /// A text of a program's or of a device's.
    EventText& name(std::string_view text) {
        return is_plain(text) ? *this << text : *this << json_text(text);
    }
    /// A member with microseconds.
    EventText& time(std::string_view member, Moment ns) {
        const std::uint64_t digits = 1000 + ns % 1000;  // so that zeros in front stay
        *this << ",\"" << member << "\":" << ns / 1000 << ".";
        return *this << std::string_view(fmt::format_int(digits).data() + 1, 3);
    }
    std::string_view view() const { return {text_, size_}; }

  private:
    char text_[event_bytes];
    std::size_t size_ = 0;
};

std::uint64_t unix_time_of_0() {
    const auto unix_time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    return static_cast<std::uint64_t>(unix_time) - now();
}

class Recorder {
  public:
    Result<std::string> start(const std::string& path, std::uint64_t most_bytes) {
        const std::unique_lock lock(file_mutex_);
        if (file_)
            return fail(ErrorCode::conflict, "This process already records a trace.",
                        "end it first (trace::end), or leave MUSTER_TRACE unset");
        const std::string first = fmt::format("{}\"{}\",\"unix_ns_at_0\":\"{}\"}},\n\"traceEvents\":[\n",
                                              beginning, version, unix_time_of_0());
        const std::string content = first + last_event(0);
        std::string used = path;
        auto made = platform::LiveFile::create(path, most_bytes, content, beginning);
        if (!made && made.error() == std::errc::device_or_resource_busy) {
            used = beside(path);
            made = platform::LiveFile::create(used, most_bytes, content, beginning);
        }
        if (!made)
            return fail(
                ErrorCode::io_failed,
                made.error() == std::errc::file_exists
                    ? fmt::format("{} is there and isn't a trace of muster's, so no trace is written there.",
                                  printable(used))
                    : fmt::format("The trace {} can't be written: {}.", printable(used),
                                  std::strerror(made.error().value())),
                "name a new file in a folder that you may write to, with space for a few megabytes");
        file_.emplace(*std::move(made));
        next_ = end_of_spaces_ = first.size();
        left_out_ = 0;
        is_full_ = false;
        device_lines_.clear();
        ++number_;
        recording.store(true, std::memory_order_relaxed);
        return used;
    }

    std::uint64_t end() {
        const std::unique_lock lock(file_mutex_);
        recording.store(false, std::memory_order_relaxed);
        if (!file_) return 0;
        const std::string last = last_event(left_out_);
        const std::uint64_t at = std::min<std::uint64_t>(next_, end_of_spaces_);
        std::memcpy(file_->memory() + at, last.data(), last.size());
        file_->cut(at + last.size());
        file_.reset();
        return left_out_;
    }

    void event(const EventText& event) {
        std::shared_lock reading(file_mutex_);
        if (!file_ || put(event.view())) return;
        reading.unlock();
        const std::unique_lock lock(file_mutex_);
        if (file_) write(event.view());
    }

    std::uint64_t process() const { return process_; }
    /// Which trace of this process is recorded.
    std::uint32_t number() const { return number_.load(std::memory_order_relaxed); }

    std::uint32_t keep(std::string_view text) {
        const std::lock_guard lock(texts_mutex_);
        if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
        if (texts_.size() >= most_texts) return 0;
        const auto number = static_cast<std::uint32_t>(by_number_.size());
        by_number_.emplace_back(text.substr(0, 4 * most_characters));
        texts_.emplace(std::string(text), number);
        return number;
    }
    std::string text(std::uint32_t number) const {
        const std::lock_guard lock(texts_mutex_);
        return by_number_[number];
    }
    /// True for the first caller with this device in this trace.
    bool is_new_line(std::uint32_t device) {
        const std::lock_guard lock(texts_mutex_);
        if (std::ranges::find(device_lines_, device) != device_lines_.end()) return false;
        device_lines_.push_back(device);
        return true;
    }

  private:
    static std::string beside(const std::string& path) {
        const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
        const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
        return fmt::format("{}.{}{}", path.substr(0, has_ending ? dot : path.size()),
                           platform::process_number(), has_ending ? path.substr(dot) : std::string());
    }

    /// Writes over spaces, if there are so many. Precondition: file_mutex_ is locked, or shared.
    bool put(std::string_view event) {
        const std::uint64_t at = next_.fetch_add(event.size(), std::memory_order_relaxed);
        if (at + event.size() > end_of_spaces_) return false;
        std::memcpy(file_->memory() + at, event.data(), event.size());
        return true;
    }
    /// Precondition: file_mutex_ is locked.
    void write(std::string_view event) {
        if (next_ > end_of_spaces_) next_ = end_of_spaces_;  // the spaces before it, if any, stay spaces
        if (put(event)) return;
        next_ = end_of_spaces_;
        is_full_ = is_full_ || !add_spaces();  // what has failed once isn't tried for each event
        if (!is_full_ && put(event)) return;
        next_ = end_of_spaces_;
        ++left_out_;
        const std::string last = last_event(left_out_);
        std::memcpy(file_->memory() + file_->bytes() - last.size(), last.data(), last.size());
    }
    /// Makes the file longer. Spaces behind its end leave it whole; then the last event moves to the new end, which
    /// takes some nanoseconds.
    bool add_spaces() {
        const std::uint64_t room = std::min(file_->most_bytes() - file_->bytes(), bytes_at_a_time);
        if (room < bytes_at_a_time / 2 || file_->append(std::string(room, ' ')) != 0) return false;
        const std::string last = last_event(left_out_);
        const std::uint64_t end = file_->bytes() - last.size();
        std::memset(file_->memory() + end, ' ', last.size());  // so that its page is there
        std::memcpy(file_->memory() + end, last.data(), last.size());
        std::memset(file_->memory() + end_of_spaces_, ' ', last.size());
        end_of_spaces_ = end;
        return true;
    }

    const std::uint64_t process_ = platform::process_number();
    std::shared_mutex file_mutex_;
    std::optional<platform::LiveFile> file_;
    std::atomic<std::uint64_t> next_{0};  // where the next event goes
    std::uint64_t end_of_spaces_ = 0;     // where the last event stands
    std::uint64_t left_out_ = 0;
    bool is_full_ = false;
    std::atomic<std::uint32_t> number_{0};

    mutable std::mutex texts_mutex_;
    std::map<std::string, std::uint32_t, std::less<>> texts_;
    std::vector<std::string> by_number_{"other"};
    std::vector<std::uint32_t> device_lines_;
};

Recorder& process_recorder() {
    static auto* const shared = new PerProcess<Recorder>;  // outlives every static that might still record
    return shared->get();
}

// Each is in the child of a fork as it was in the parent; this alone is set back.
void stop_in_child() { recording.store(false, std::memory_order_relaxed); }

void begin_event(EventText& event, std::string_view phase, std::uint32_t line, Moment at) {
    event << "{\"ph\":\"" << phase << "\",\"pid\":" << process_recorder().process() << ",\"tid\":" << line;
    event.time("ts", at);
}

void name_line(std::uint32_t line, std::string_view name, std::uint64_t place) {
    const std::uint64_t process = process_recorder().process();
    EventText event;
    const auto add = [&](std::string_view what) -> EventText& {
        return event << "{\"ph\":\"M\",\"pid\":" << process << ",\"tid\":" << line << ",\"name\":\"" << what
                     << "\",\"args\":{";
    };
    add("thread_name") << "\"name\":\"" << name << "\"}},\n";
    add("thread_sort_index") << "\"sort_index\":" << place << "}},\n";
    process_recorder().event(event);
}

/// The calling thread's line, which it names in each trace once.
std::uint32_t own_line() {
    thread_local std::uint32_t line = 0, named_in = 0;
    thread_local ForkMark found_in;
    if (line == 0 || found_in.is_from_parent())
        line = platform::thread_number(), named_in = 0, found_in = ForkMark();
    if (const std::uint32_t trace = process_recorder().number(); named_in != trace) {
        named_in = trace;
        const bool is_main = line == platform::process_number();
        name_line(line, is_main ? std::string("main thread") : fmt::format("thread {}", line),
                  is_main ? 0 : 1);
    }
    return line;
}

/// Lines of devices have numbers that no thread has: Linux's are below 2^22.
std::uint32_t line_of(std::uint32_t device) { return (std::uint32_t{1} << 30) + device; }

void add_name(EventText& event, Stage stage, std::string_view what) {
    const std::string_view name = traits(stage).name;
    event << ",\"cat\":\"" << name << "\",\"name\":\"" << name;
    if (!what.empty()) (event << " ").name(what);
    event << "\"";
}

void add_device(EventText& event, std::string_view device) {
    if (!device.empty()) (event << ",\"args\":{\"device\":\"").name(device) << "\"}";
}

/// Recording ends rather than that it disturbs what it records.
template <class Record>
void undisturbed(Record&& record) noexcept {
    try {
        record();
    } catch (...) {  // there is no memory for the event
    }
}

}  // namespace

Result<std::string> start(const std::string& path, std::uint64_t most_bytes) {
    static const int watched =
        (call_in_child(stop_in_child), platform::call_at_exit([](int, void*) { (void)end(); }), 0);
    (void)watched;
    return process_recorder().start(path, std::max(most_bytes, bytes_at_a_time));
}

std::uint64_t end() {
    std::uint64_t left_out = 0;
    undisturbed([&] { left_out = process_recorder().end(); });
    return left_out;
}

void Span::begin() {
    begun_ = now();
    if (!traits(stage_).is_long) return;
    undisturbed([&] {
        EventText event;
        begin_event(event, "B", own_line(), begun_);
        add_name(event, stage_, what_);
        add_device(event, device_);
        event << "},\n";
        process_recorder().event(event);
    });
}

void Span::end() const {
    undisturbed([&] {
        const Moment ended = now();
        const bool is_long = traits(stage_).is_long;
        EventText event;
        begin_event(event, is_long ? "E" : "X", own_line(), is_long ? ended : begun_);
        if (!is_long) {
            event.time("dur", ended - begun_);
            add_name(event, stage_, what_);
        }
        if (bytes_)
            (event << ",\"args\":{\"device\":\"").name(device_) << "\",\"bytes\":" << *bytes_ << "}";
        else if (!is_long)
            add_device(event, device_);
        event << "},\n";
        process_recorder().event(event);
    });
}

void count(std::string_view what, std::string_view device, std::uint64_t value) {
    if (!is_recording()) return;
    undisturbed([&] {
        EventText event;
        begin_event(event, "C", own_line(), now());
        (event << ",\"name\":\"").name(what);
        if (!device.empty()) (event << " of ").name(device);
        event << "\",\"args\":{\"value\":" << value << "}},\n";
        process_recorder().event(event);
    });
}

void mark(std::string_view what, std::string_view about) {
    if (!is_recording()) return;
    undisturbed([&] {
        EventText event;
        begin_event(event, "i", own_line(), now());
        (event << ",\"s\":\"t\",\"cat\":\"mark\",\"name\":\"").name(what);
        (event << "\",\"args\":{\"about\":\"").name(about) << "\"}},\n";
        process_recorder().event(event);
    });
}

Work follow(std::string_view what, std::string_view device) {
    Work work;
    undisturbed([&] {
        Recorder& recorder = process_recorder();
        work = {recorder.keep(device), recorder.keep(what), now()};
    });
    return work;
}

void ran(const Work& work, Moment ended, std::optional<std::uint64_t> took) {
    if (!is_recording() || work.submitted == 0) return;
    undisturbed([&] {
        Recorder& recorder = process_recorder();
        const std::uint32_t line = line_of(work.device);
        if (recorder.is_new_line(work.device)) name_line(line, recorder.text(work.device), 2);
        const std::uint64_t shown = took ? std::min(*took, ended) : ended - std::min(ended, work.submitted);
        EventText event;
        begin_event(event, "X", line, ended - shown);
        event.time("dur", shown);
        add_name(event, Stage::run, recorder.text(work.what));
        event << ",\"args\":{\"clock\":\"" << (took ? "device" : "host") << "\"}},\n";
        recorder.event(event);
    });
}

}  // namespace muster::trace
