// dispatch.hpp - one call of a kernel: its arguments as muster takes them, its work, and what is to be done
// at its end.
//
//     Dispatch dispatch(kernel, arguments, keywords);          // raises what is wrong with them
//     dispatch.submit();
//     dispatch.finish(MUSTER_FOREVER);                         // results are in the caller's arrays now
//
// Arrays of Python's are used in place, as buffers over their memory. Those that can't be, because they
// aren't aligned, are copied before and after. Threads: the caller holds the GIL, which is given up while it
// waits.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include <muster/muster.h>
#include <muster/python/extension/array.hpp>
#include <muster/python/extension/grid.hpp>
#include <muster/python/extension/lent_memory.hpp>
#include <muster/python/extension/prepared.hpp>

namespace muster::python {

/// Makes the names of the keywords that are no arguments. Once, before any dispatch.
void name_keywords();

class Dispatch {
  public:
    /// `keywords` may be null: arguments by name, and grid, workgroups and wait, unless a binding is called
    /// so. Raises what muster doesn't: arrays that can't be used, values that don't fit, a grid that isn't
    /// known.
    Dispatch(PreparedKernel& kernel, PyObject* arguments, PyObject* keywords);
    Dispatch(const Dispatch&) = delete;
    Dispatch& operator=(const Dispatch&) = delete;
    ~Dispatch();

    /// As muster takes it; points into this.
    muster_dispatch get() const;

    void submit();
    /// Waits, and puts results where they belong; again if it has raised. Raises at the end of the time,
    /// which is muster's timed_out.
    void finish(std::uint64_t nanoseconds);
    /// submit() and finish() in one.
    void run();

    /// False if the caller waits itself.
    bool is_to_wait() const;
    const Grid& grid() const { return grid_; }
    /// Raises if an argument isn't muster's for longer than this call: `what` takes only those that are.
    void check_is_lasting(std::string_view what) const;
    /// The new arrays, for bindings that were given as None: none, one, or a tuple of them.
    Ref results() const;
    muster_ticket ticket() const { return ticket_; }
    const muster_timing& timing() const { return timing_; }

  private:
    /// Memory that is a buffer for this call alone.
    struct Part {
        muster_buffer buffer{};
        Lent* copied = nullptr;  // a view whose elements were copied; this owns it
        muster_range view{};     // the part of another buffer that was copied
        bool is_written = false;
        bool is_shared = false;  // muster has the memory itself
    };
    /// An array's memory, while arguments are gathered.
    struct Memory {
        std::size_t binding;
        const char *begin, *end;
    };
    /// The size of the array that the grid follows from.
    struct Extent {
        bool is_known = false;
        std::uint64_t elements = 0;
        int axes = 0;
        Py_ssize_t last[3]{};  // from the last on
    };

    explicit Dispatch(PreparedKernel& kernel);
    void add_all(PyObject* arguments, PyObject* keywords);
    void add_named(PyObject* name, PyObject* value);
    void add_unknown(PyObject* name);
    void set_grid();
    void add(std::size_t binding, PyObject* value);
    void add_array(std::size_t binding, PyObject* object, const Array& array);
    void add_memory(std::size_t binding, PyObject* object);
    void add_value(std::size_t binding, PyObject* value);
    void add_bytes(std::size_t binding, const void* data, std::size_t bytes, std::uint32_t element);
    void keep_like(std::size_t binding, PyObject* object);
    void add_result(std::size_t binding);
    void check_overlap(const Memory& memory);
    void keep_extent(std::size_t binding, std::uint64_t bytes, const Py_ssize_t* shape, int axes);
    muster_argument& new_argument(std::size_t binding);
    // Both are called without the GIL.
    muster_status start();
    muster_status end(std::uint64_t timeout);

    static constexpr std::uint64_t first_wait = 50'000'000;

    PreparedKernel& kernel_;
    std::vector<muster_argument> arguments_;
    std::vector<std::array<char, 8>> values_;
    std::vector<Part> parts_;
    std::vector<Memory> memories_;
    std::vector<Ref> kept_, results_;
    PyObject *invocations_ = nullptr, *workgroups_ = nullptr, *wait_ = nullptr;  // those keywords
    std::vector<std::size_t> wanted_;  // bindings that get new arrays
    Ref like_type_;                    // of its binding
    Ref like_;                         // the first array
    std::size_t first_written_;
    Extent extent_;
    Grid grid_;
    muster_ticket ticket_{};
    std::mutex ending_;  // several threads may wait for one ticket
    bool is_waited_ = false;
    std::size_t ended_ = 0;  // parts
    muster_timing timing_{};
};

}  // namespace muster::python
