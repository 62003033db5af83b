// What a shared object registers while it is loaded. Its registrations run before any caller could catch an
// exception, so that complaints are collected and reported afterwards.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::detail {

struct Loading {
  std::size_t registered = 0;  // families, methods and commands
  std::vector<std::string> complaints;
};

/// The object that is being loaded, if one is.
std::optional<Loading>& loading();

/// Reports that a name cannot be registered: throws UsageError, or keeps the complaint while an object is
/// being loaded.
void complain_of_registration(const std::string& complaint);
/// Notes that something has been registered.
void count_registration();

}  // namespace assay::detail
