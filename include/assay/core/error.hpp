// Every error that assay raises on purpose. Each message says what was given and what would be right. The
// command line prints it as one line and returns an exit code; the library never prints.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A name, a value or a combination that the caller can correct. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A sound request that is larger than its stated limit. Exit code 1.
class LimitError : public Error {
 public:
  using Error::Error;
};

/// An observation of probability zero under the belief: the belief and the data contradict each other.
class ImpossibleEvidence : public Error {
 public:
  using Error::Error;
};

/// Stored data differ from what was stored.
class CorruptError : public Error {
 public:
  using Error::Error;
};

}  // namespace assay
