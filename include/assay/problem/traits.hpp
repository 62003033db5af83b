// Traits describe what a problem is like and are computed once. Methods declare what they need. Together
// they determine why a method cannot be used on a problem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/core/belief.hpp"

namespace assay {

/// Where something is collected, that is, paid or observed.
enum class Collects { kNothing, kArriving, kActing, kBoth };

struct Traits {
  bool finite = false;          // there are finitely many environments, so that expectations are sums
  bool known_moves = false;     // all environments move alike
  bool certain_moves = false;   // all environments move alike, and every action has one successor
  bool expected_moves = false;  // the belief can say what transition probabilities it expects
  bool cells = false;           // the belief is about cells that are independent of each other
  bool listable = false;        // the outcomes of every action are few enough to list
  bool hidden_moves = false;    // outcomes can change the hidden part
  bool endless = false;         // episodes have no end
  Collects collects = Collects::kNothing;
};

Traits traits_of(const Belief& prior, bool hidden_moves);

/// What a method may need of a problem.
enum class Need : std::uint8_t {
  kFinite,         // finitely many environments
  kFiniteOrCells,  // finitely many environments, or cells that are independent of each other
  kKnownMoves,     // environments that move alike
  kCertainMoves,   // actions with one successor, known
  kExpectedMoves,  // a belief that can say what transitions it expects
  kOneCollection,  // something is collected on arriving or by acting, but not by both
  kEnd,            // episodes that end
  kStillHidden,    // a hidden part that outcomes do not change
};

/// What a method needs, as `assay list` shows it: "finitely many environments".
std::string need_name(Need need);
/// Why a problem with these traits does not meet the need, in a sentence; empty if it does.
std::string unmet(Need need, const Traits& traits);
/// The reason for the first need that is not met.
std::string objection_of(const std::vector<Need>& needs, const Traits& traits);
/// The traits of a problem for people: "finite, known moves, pays on arriving".
std::string traits_text(const Traits& traits);

}  // namespace assay
