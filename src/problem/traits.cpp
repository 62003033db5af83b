#include "assay/core/error.hpp"
#include "assay/problem/problem.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostListed = 64;  // outcomes of an action

bool all_certain(const Mdp& mdp) {
  for (std::size_t row = 0; row < mdp.reward.size(); ++row) {
    if (mdp.first_arc[row + 1] - mdp.first_arc[row] > 1) return false;
  }
  return true;
}

Collects where_collected(const Belief& prior) {
  bool arriving = false;
  bool acting = false;
  for (int x = 0; x < prior.states() && !(arriving && acting); ++x) {
    arriving = arriving || prior.collects(x, kArrive);
    for (int a = 0; !acting && a < prior.actions(); ++a) acting = prior.allowed(x, a) && prior.collects(x, a);
  }
  if (arriving && acting) return Collects::kBoth;
  if (arriving) return Collects::kArriving;
  return acting ? Collects::kActing : Collects::kNothing;
}

/// Can the belief list what arriving and acting show? A map of 49 cells has 6^49 readings, and normal
/// rewards have a continuum of outcomes.
bool all_listable(const Belief& prior) {
  for (int x = 0; x < prior.states(); ++x) {
    for (int a = kArrive; a < prior.actions(); ++a) {
      if ((a != kArrive && !prior.allowed(x, a)) || !prior.learns(x, a)) continue;
      try {
        (void)prior.predict(x, a, kMostListed);
      } catch (const LimitError&) {
        return false;
      } catch (const UsageError&) {
        return false;
      }
    }
  }
  return true;
}

struct NeedWords {
  Need need;
  bool (*met)(const Traits&);
  const char* name;
  const char* objection;
};

constexpr NeedWords kNeedWords[] = {
    {Need::kStillHidden, [](const Traits& t) { return !t.hidden_moves; }, "a hidden part that stays as it is",
     "the hidden part changes during an episode: this method needs one that stays as it is"},
    {Need::kEnd, [](const Traits& t) { return !t.endless; }, "episodes that end",
     "its episodes have no end: this method needs a horizon"},
    {Need::kFinite, [](const Traits& t) { return t.finite; }, "finitely many environments",
     "it has infinitely many environments: this method needs a belief over finitely many environments"},
    {Need::kKnownMoves, [](const Traits& t) { return t.known_moves; }, "known moves",
     "moves that are not known: this method needs a model whose environments move alike"},
    {Need::kOneCollection, [](const Traits& t) { return t.collects != Collects::kBoth; },
     "rewards and observations on arriving or by acting, not both",
     "something is collected on arrival and by actions: this method needs one of them only"},
    {Need::kCertainMoves, [](const Traits& t) { return t.certain_moves; }, "certain moves",
     "moves by chance: this method needs certain moves"},
    {Need::kFiniteOrCells, [](const Traits& t) { return t.finite || t.cells; },
     "finitely many environments, or independent cells",
     "the belief is neither over finitely many environments nor over cells"},
    {Need::kExpectedMoves, [](const Traits& t) { return t.expected_moves; }, "expected transitions",
     "the belief cannot say which transitions it expects: this method plans for them"},
};

const NeedWords& words_of(Need need) {
  for (const NeedWords& words : kNeedWords) {
    if (words.need == need) return words;
  }
  throw Error("a need without words");
}

}  // namespace

Traits traits_of(const Belief& prior, bool hidden_moves) {
  Traits traits;
  traits.finite = prior.finite();
  traits.known_moves = prior.known_transitions();
  traits.certain_moves = traits.known_moves && all_certain(prior.mean());
  traits.expected_moves = prior.expects_transitions();
  traits.cells = prior.feature_cells() > 0;
  traits.listable = all_listable(prior);
  traits.hidden_moves = hidden_moves;
  traits.endless = prior.outline().endless();
  traits.collects = where_collected(prior);
  return traits;
}

std::string need_name(Need need) { return words_of(need).name; }

std::string unmet(Need need, const Traits& traits) {
  const NeedWords& words = words_of(need);
  return words.met(traits) ? "" : words.objection;
}

std::string objection_of(const std::vector<Need>& needs, const Traits& traits) {
  for (const Need need : needs) {
    if (std::string why = unmet(need, traits); !why.empty()) return why;
  }
  return "";
}

std::string traits_text(const Traits& traits) {
  std::string text = traits.finite ? "finitely many environments" : "infinitely many environments";
  text += traits.certain_moves ? ", certain moves"
          : traits.known_moves ? ", known moves by chance"
                               : ", unknown moves";
  switch (traits.collects) {
    case Collects::kNothing:
      text += ", nothing is collected";
      break;
    case Collects::kArriving:
      text += ", collects on arriving";
      break;
    case Collects::kActing:
      text += ", collects by acting";
      break;
    case Collects::kBoth:
      text += ", collects on arriving and by acting";
      break;
  }
  if (!traits.listable) text += ", outcomes too many to list";
  if (traits.hidden_moves) text += ", the hidden part moves";
  if (traits.endless) text += ", endless";
  return text;
}

}  // namespace assay
