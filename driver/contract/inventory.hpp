// inventory.hpp - MUSTER_SUBMIT(record): places a constant record in a linker section that the driver reads,
// without code that runs before main, exported symbols or a central list.
//
//     constexpr BackendPrecedence precedence{.id = "cpu", .rank = 100};
//     MUSTER_SUBMIT(precedence);
//
// Use it at namespace scope, not in a template, once per record and translation unit. It copies the
// record into this module's inventory: one section for all kinds, since the header says which kind a
// record is. The section is writable in every translation unit, because constants with and without
// pointers couldn't share it otherwise.
//
// The driver finds each module (modules.hpp) by an allocated ELF note, which this header emits once per
// module and which holds the PC-relative offsets to the section's bounds. The note's section isn't called
// .note, so that `strip -R '.note.*'` leaves it. The bounds are hidden, because every module has its own, and
// weak, because under LTO gold and lld export them otherwise. `used` and `retain` keep records through the
// compiler's and the linker's garbage collection. The branches for Mach-O and PE/COFF are untested.
//
// With the note, the section gets a mark that names the driver by which this module is read: eight bytes,
// then the address of the driver's own variable (driver_identity, modules.hpp), as the loader resolves it for
// this module. A process may hold several copies of muster, and each reads the modules that are linked to it.
// The reference is weak, because a library may be linked to no driver. Since the mark is always there, the
// bounds always exist: a PC-relative reference to an undefined symbol can't be linked into a library.
#pragma once

#include <muster/driver/contract/records.hpp>

#if defined(__ELF__)

#define MUSTER_RECORD_SECTION __attribute__((used, retain, section("muster_records")))
// Name size 7, descriptor size 8, type 'MUS1'; see modules_elf.cpp, which reads it.
#if __SIZEOF_POINTER__ == 8
#define MUSTER_POINTER ".quad "
#else
#define MUSTER_POINTER ".balign 8\n.long "
#endif
__asm__(
    ".weak __start_muster_records\n.hidden __start_muster_records\n"
    ".weak __stop_muster_records\n.hidden __stop_muster_records\n"
    ".ifndef .Lmuster_driver_named\n"  // LTO may put this text into one file several times
    ".set .Lmuster_driver_named, 1\n"
    ".weakref muster_driver_here, _ZN6muster15driver_identityE\n"
    ".endif\n"
    ".pushsection muster_note,\"aGR\",%note,muster_inventory_note,comdat\n"
    ".balign 4\n"
    ".long 7, 8, 0x3153554d\n"
    ".asciz \"muster\"\n"
    ".balign 4\n"
    ".long __start_muster_records - .\n"
    ".long __stop_muster_records - .\n"
    ".popsection\n"
    ".pushsection muster_records,\"awGR\",%progbits,muster_inventory_note,comdat\n"
    ".balign 8\n"
    ".ascii \"MUSTERd\\001\"\n" MUSTER_POINTER
    "muster_driver_here\n"
    ".balign 8\n"
    ".popsection\n");
#undef MUSTER_POINTER

#elif defined(__APPLE__)

#define MUSTER_RECORD_SECTION __attribute__((used, section("__DATA,muster_records,regular,no_dead_strip")))

#elif defined(_WIN32)

// At most eight characters fit into a PE image's section table.
#if defined(_MSC_VER)
#pragma section("mustrec", read, write)
#define MUSTER_RECORD_SECTION __declspec(allocate("mustrec"))
#else
#define MUSTER_RECORD_SECTION __attribute__((used, section("mustrec")))
#endif

#else
#error "muster knows no record section for this object format; add an arm here and a modules_*.cpp."
#endif

// muster_backend(NAME) defines MUSTER_BACKEND_ID as NAME for the backend's sources: a record of another id
// would be found as a missing backend, when the program runs. Packs have ids of their own.
#if defined(MUSTER_BACKEND_ID)
#define MUSTER_CHECK_ID(record)                                                                        \
    static_assert(                                                                                     \
        !::muster::is_of_backend(record) || (record).id.view() == std::string_view(MUSTER_BACKEND_ID), \
        "a record's id is the NAME of muster_backend(NAME): write .id = MUSTER_BACKEND_ID")
#else
#define MUSTER_CHECK_ID(record) static_assert(true)
#endif

#define MUSTER_SUBMIT(record)                                                                              \
    static_assert(::muster::Record<std::remove_cv_t<decltype(record)>>, "submit a record of records.hpp"); \
    static_assert(::muster::valid_id((record).id.view()),                                                  \
                  "a backend's id is lower case letters, digits, '-' and '_', a letter first");            \
    MUSTER_CHECK_ID(record);                                                                               \
    static_assert(::muster::has_factory<record>(), "a registration needs a .factory: make_backend<Mine>"); \
    static_assert(::muster::has_supported_ops<record>(),                                                   \
                  "a registration needs .supported_ops: a function that returns a constant OpSet");        \
    static_assert(::muster::has_pack<record>(), "patterns need a .pack: a function that returns a Pack");  \
    static_assert(                                                                                         \
        ::muster::has_valid_tags(record),                                                                  \
        "a registration's tags are words of lower case letters, digits, '-' and '_', a letter first");     \
    MUSTER_RECORD_SECTION static constinit std::remove_cv_t<decltype(record)> muster_submitted_##record =  \
        record
