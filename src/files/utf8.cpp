#include "files/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace assay::files {

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc0 || lead > 0xf7) return false;
    std::uint32_t code = lead & (0x3fU >> more);
    for (int i = 0; i < more; ++i) {
      if (at == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[at++]);
      if ((byte & 0xc0U) != 0x80U) return false;
      code = code << 6U | (byte & 0x3fU);
    }
    const std::uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least || code > 0x10ffff || surrogate) return false;
  }
  return true;
}

}  // namespace assay::files
