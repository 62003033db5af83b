// What goes wrong while a shared object registers its families and methods. They do so before any caller
// could catch an exception.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::detail {

/// The complaints of the object that is being loaded; none if nothing is.
std::optional<std::vector<std::string>>& loading_complaints();

}  // namespace assay::detail
