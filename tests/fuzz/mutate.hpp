// mutate.hpp - changes a text as a fuzzer does, by tokens and statements, so that many results still parse, and any other file by bytes.
// The words and numbers that it knows are WGSL's.
//
//     interpreter::Random random(seed);
//     std::string other = mutated(text, random);
//
// Any bytes are accepted. The same text and state of `random` give the same result.
#pragma once

#include <string>
#include <string_view>

#include <muster/foundation/interpreter/random.hpp>

namespace muster::fuzz {

/// One to four changes: a token becomes another one of the text or of the language, two trade places, one goes; a statement
/// is repeated elsewhere, goes, or trades places with another.
std::string mutated(std::string_view text, interpreter::Random& random);

/// `to` with a statement or declaration of `from` in it.
std::string spliced(std::string_view to, std::string_view from, interpreter::Random& random);

}  // namespace muster::fuzz
