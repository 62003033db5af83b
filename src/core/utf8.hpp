// Texts as characters: UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // in bytes; 0: these bytes are no character
};

/// The first character of a text that is not empty. Whole characters only: no stray or missing bytes, nothing
/// longer than need be, no surrogates.
Character first_character(std::string_view text);

/// Is all of it characters?
bool is_utf8(std::string_view text);

}  // namespace assay
