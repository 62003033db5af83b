// How deep tables lie in each other in a TOML text, found out before the text is parsed.
#pragma once

#include <string>
#include <string_view>

namespace assay::files {

/// Throws UsageError at the place, named with `where`, at which keys (a.b.c), headers, inline tables and
/// arrays lie deeper in each other than any problem needs: the parser builds and destroys tables by
/// recursion, and has no limit of its own for keys.
void check_key_depth(std::string_view text, const std::string& where);

}  // namespace assay::files
