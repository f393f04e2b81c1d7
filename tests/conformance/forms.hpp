// forms.hpp - the language's forms as programs: types x storage x constructor, each used in every context (forms_of_types.cpp);
// operators, conversions and built-in functions x types (forms_of_operations.cpp); statements (forms_of_statements.cpp).
//
//     for (const Form& form : chosen_forms(11, 1)) check(case_of({&form, 1}));
//
// Several forms share a kernel of four invocations. Each writes its own words of `out`, so that a difference
// names the form.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <muster/conformance/case.hpp>

namespace muster::conformance {

struct Form {
    std::string name;                      // "vec3f / private / full"
    std::vector<std::string> shared = {};  // declarations that other forms may share
    /// The form's declarations at module scope, and its function's statements. '#' stands for the form's number,
    /// `result[K]` for its K-th word; `id`, `at` and `signed_at` are the invocation's number and two indices,
    /// out of bounds for some invocations.
    std::string declarations = {}, body = {};
    /// The type of the form's member m# in the buffers `stored` (read and write), `given` (read) and `uniforms`;
    /// "" if it has none.
    std::string stored = {}, given = {}, uniform = {};
};

inline constexpr std::uint32_t form_invocations = 4, form_results = 16;  // in words of `out`, per invocation
inline constexpr std::size_t forms_together = 12;

/// Forms for every type in every storage with every constructor.
std::vector<Form> forms_of_types();
/// Forms for every `one_in`-th type in each storage, each with one constructor.
std::vector<Form> forms_of_types(std::size_t one_in);
/// Forms of operations. `all`: at every width; otherwise functions that take long to compile have one width
/// only.
std::vector<Form> forms_of_operations(bool all);
std::vector<Form> forms_of_statements();

/// All forms of statements, and every `usually`-th form of types and operations, or every `with_all`-th if
/// MUSTER_TEST_ALL is set.
std::vector<Form> chosen_forms(std::size_t usually, std::size_t with_all);
/// Splits the forms into groups of neighbours, each for one kernel.
std::vector<std::span<const Form>> in_groups(std::span<const Form> forms, std::size_t size);

/// One kernel with all of these forms, and its data.
Case case_of(std::span<const Form> forms);

/// The faults that `check` finds ("" if none) in each group; if a group fails, in each of its forms alone.
std::vector<std::string> faults_of(std::span<const Form> forms, std::size_t group_size,
                                   const std::function<std::string(const Case&)>& check);

}  // namespace muster::conformance
