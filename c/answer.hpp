// answer.hpp - what a function of the table answers, and the one door through which each goes: errors and
// exceptions become a status and the thread's last error.
//
//     api.session_close = [](muster_session session) {
//         return call([&]() -> Answer<void> {
//             TRY(session_of(session))->session.close();
//             return {};
//         });
//     };
//
// TRY passes on both an Error and a Fault. Threads: any.
#pragma once

#include <exception>
#include <expected>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <muster/c/muster.h>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c {

/// The status of an error's code, which never changes.
muster_status status_of(ErrorCode code);

/// An error with its status: that of its code, or one that only this interface has.
struct Fault {
    Error error;
    muster_status status;
    Fault(Error of) : error(std::move(of)), status(status_of(error.code)) {}  // NOLINT: an error is a fault
    Fault(Error of, muster_status is) : error(std::move(of)), status(is) {}
};

/// A value, or why there is none. A muster_status as the value is what the function says:
/// MUSTER_OK or MUSTER_NONE.
template <class T>
using Answer = std::expected<T, Fault>;

/// Keeps a fault as this thread's last error, and returns its status. Without memory for
/// it, out of memory is kept.
muster_status keep(Fault&& fault) noexcept;
muster_status keep_out_of_memory() noexcept;
muster_status keep_exception(std::string_view what) noexcept;

/// Fills in this thread's last error; false if no call has failed.
bool tell_last_error(muster_error& to);

/// An error as callbacks get it; its texts are those of `error`, which must outlive it.
class ToldError {
  public:
    explicit ToldError(const Error& error);
    const muster_error& get() const { return told_; }

  private:
    std::string text_;
    std::unique_ptr<muster_string[]> steps_;
    muster_error told_{};
};

/// Runs what is due on this thread: memory that nothing needs any more goes back to whoever
/// gave it (given_memory.hpp).
void return_memory() noexcept;

/// A text's view.
inline muster_string view(std::string_view text) { return {text.data(), text.size()}; }

template <class Body>
muster_status call(Body&& body) noexcept {
    const auto answered = [&]() noexcept -> std::expected<muster_status, Fault> {
        try {
            auto answer = body();
            if (!answer) return std::unexpected(std::move(answer).error());
            if constexpr (std::is_same_v<typename decltype(answer)::value_type, muster_status>)
                return *answer;
            else
                return MUSTER_OK;
        } catch (const std::bad_alloc&) {
            return MUSTER_ERROR_OUT_OF_MEMORY;
        } catch (const std::exception& thrown) {
            return keep_exception(thrown.what());
        } catch (...) {
            return keep_exception("something that isn't a std::exception");
        }
    };
    auto answer = answered();
    return_memory();
    if (!answer) return keep(std::move(answer).error());
    return *answer == MUSTER_ERROR_OUT_OF_MEMORY ? keep_out_of_memory() : *answer;
}

}  // namespace muster::c
