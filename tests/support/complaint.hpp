// What an error says.
#pragma once

#include <functional>
#include <string>

#include "assay/core/error.hpp"

namespace assay::test {

/// What the error of that type says, "" if nothing is thrown. Any other exception fails the test on its own.
template <class E = UsageError>
std::string complaint(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace assay::test
