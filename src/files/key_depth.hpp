// The depth to which the tables of a TOML text are nested, found before the text is parsed.
#pragma once

#include <string>
#include <string_view>

namespace assay::files {

/// Throws UsageError, with `where` and the place, if keys (a.b.c), headers, inline tables and arrays are
/// nested deeper than any problem needs. The parser builds and destroys tables by recursion and has no limit
/// of its own for keys.
void check_key_depth(std::string_view text, const std::string& where);

}  // namespace assay::files
