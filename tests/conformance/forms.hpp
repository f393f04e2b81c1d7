// forms.hpp - the language's forms as programs: types x storage x constructor, each used in every context (forms_of_types.cpp);
// operators, conversions and built-in functions x types (forms_of_operations.cpp); statements (forms_of_statements.cpp).
//
//     for (const Form& form : chosen_forms(11, 1)) check(case_of({&form, 1}));
//
// Several forms share a kernel of four invocations; each writes words of `out` that are its own, so that a difference names it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "conformance/case.hpp"

namespace muster::conformance {

struct Form {
    std::string name;                      // "vec3f / private / full"
    std::vector<std::string> shared = {};  // declarations that other forms may have, too
    /// Its own declarations at module scope, and its function's statements. '#' stands for the form's number, `result[K]` for
    /// its K-th word; `id`, `at` and `signed_at` are the invocation's number and two indices, which some have out of bounds.
    std::string declarations = {}, body = {};
    /// The type of its member m# in the buffers `stored` (read and write), `given` (read) and `uniforms`; "" where it has none.
    std::string stored = {}, given = {}, uniform = {};
};

inline constexpr std::uint32_t form_invocations = 4, form_results = 16;  // words of `out`, per invocation
inline constexpr std::size_t forms_together = 12;

/// Every type in every storage by every constructor.
std::vector<Form> forms_of_types();
/// One in so many types in a storage, each by one constructor.
std::vector<Form> forms_of_types(std::size_t one_in);
/// `all`: at every width; otherwise functions that take long to compile stand at one width only.
std::vector<Form> forms_of_operations(bool all);
std::vector<Form> forms_of_statements();

/// All statements, and of types and operations one in so many: `usually`, or where MUSTER_TEST_ALL is set, `with_all`.
std::vector<Form> chosen_forms(std::size_t usually, std::size_t with_all);
/// Neighbours, each group for one kernel.
std::vector<std::span<const Form>> in_groups(std::span<const Form> forms, std::size_t size);

/// One kernel of all of them, with its data.
Case case_of(std::span<const Form> forms);

/// The faults that `check` finds ("": none) in each group and, where that fails, in each of its forms alone.
std::vector<std::string> faults_of(std::span<const Form> forms, std::size_t group_size,
                                   const std::function<std::string(const Case&)>& check);

}  // namespace muster::conformance
