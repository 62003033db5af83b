// Texts as characters: UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // in bytes; 0 if these bytes are no character
};

/// The first character of a text that is not empty. Only whole characters are accepted: no stray or missing
/// bytes, no encoding longer than necessary, no surrogates.
Character first_character(std::string_view text);

/// Does the text consist of whole characters?
bool is_utf8(std::string_view text);

}  // namespace assay
