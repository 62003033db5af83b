#include "assay/advice/situation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/kernel.hpp"
#include "assay/core/spec.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostWays = 10'000;  // that an event may end; more cannot be told apart in words

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

std::vector<std::string_view> events_of(std::string_view history) {
  std::vector<std::string_view> events;
  while (!history.empty()) {
    const std::size_t end = std::min(history.find(';'), history.size());
    const std::string_view event = without_blanks(history.substr(0, end));
    if (!event.empty()) events.push_back(event);
    history.remove_prefix(std::min(end + 1, history.size()));
  }
  return events;
}

/// One way in which an event can end.
struct Way {
  double probability = 1;
  Outcome outcome;  // of the action; for the start only `next`
  Outcome arrival;
  std::string sees;
  double pays = 0;
};

class Storyteller {
 public:
  Storyteller(const Problem& problem, std::string_view history)
      : problem_(problem), events_(events_of(history)) {
    there_.knowledge = problem.knowledge(default_kernel());
    there_.remaining = problem.horizon();
  }

  Situation tell() {
    std::size_t next = 0;
    event_ = "start";
    if (!events_.empty() && begins_with_word(events_[0], "start")) event_ = events_[next++];
    begin(event_.substr(5));
    for (; next < events_.size(); ++next) {
      event_ = events_[next];
      act();
    }
    return std::move(there_);
  }

 private:
  static bool begins_with_word(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
  }

  [[noreturn]] void wrong(const std::string& why) const {
    throw UsageError(fmt::format("'{}': {}", printable(std::string(event_), 80), why));
  }

  /// Is this what happened? What is seen, and states, may be called anything, also "a nod to the left": so
  /// the words are compared with what this way would be called, and not taken apart first.
  [[nodiscard]] bool fits(const Way& way, std::string_view said) const {
    said = without_blanks(said);
    if (said.empty()) return true;
    const auto rest_after = [&](std::string_view word,
                                std::string_view value) -> std::optional<std::string_view> {
      if (value.empty() || !begins_with_word(said, word)) return std::nullopt;
      const std::string_view rest = without_blanks(said.substr(word.size()));
      if (!begins_with_word(rest, value)) return std::nullopt;
      return rest.substr(value.size());
    };
    if (const auto rest = rest_after("sees", way.sees)) return fits(way, *rest);
    for (const std::string& name : names_of(way.outcome.next)) {
      if (const auto rest = rest_after("to", name); rest && fits(way, *rest)) return true;
    }
    if (!begins_with_word(said, "pays")) return false;
    const std::string_view value = without_blanks(said.substr(4));
    const std::string_view digits = value.substr(0, value.find(' '));
    const std::optional<double> paid = number(digits);
    const bool same = paid && std::abs(way.pays - *paid) <= 1e-9 * (1 + std::abs(way.pays));
    return same && fits(way, value.substr(digits.size()));
  }

  /// As state_named takes them.
  [[nodiscard]] std::vector<std::string> names_of(int state) const {
    std::vector<std::string> names = {problem_.state_name(state), std::to_string(state)};
    if (problem_.drawable()) names.emplace_back(1, problem_.landmark(state));
    return names;
  }

  static std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  /// Complains if this could never be said, whatever happened.
  void check_words(std::string_view said) const {
    said = without_blanks(said);
    if (said.empty()) return;
    const std::string_view word = said.substr(0, said.find(' '));
    if (word != "sees" && word != "pays" && word != "to") {
      wrong(fmt::format("what is '{}'? After what was done come: sees ..., pays ..., to ...",
                        printable(std::string(word), 40)));
    }
    const std::string_view value = without_blanks(said.substr(word.size()));
    if (value.empty()) wrong(fmt::format("'{}' what?", word));
    if (word == "to") state_named(problem_, value);
    const std::string_view digits = value.substr(0, value.find(' '));
    if (word == "pays" && !number(digits)) {
      wrong(fmt::format("'{}' is not a number", printable(std::string(digits), 40)));
    }
  }

  void begin(std::string_view said) {
    std::vector<Way> ways;
    for (const Start& start : problem_.starts())
      add_arrivals({start.probability, {start.state, 0, {}}, {}, "", 0}, kArrive, ways);
    take(kArrive, said, ways);
  }

  void act() {
    const int action = read_action();
    if (!there_.knowledge->allowed(there_.state, action)) {
      wrong(fmt::format("that cannot be done at '{}'; possible: {}", problem_.state_name(there_.state),
                        possible()));
    }
    if (there_.remaining <= 1) wrong(fmt::format("the episode is over after {} steps", problem_.horizon()));
    std::vector<Way> ways;
    for (const Knowledge::Prediction& p : there_.knowledge->predictions(there_.state, action)) {
      add_arrivals({p.probability, p.outcome, {}, "", 0}, action, ways);
    }
    --there_.remaining;
    take(action, event_.substr(action_length_), ways);
  }

  [[nodiscard]] std::string possible() const {
    std::string names;
    for (int a = 0; a < problem_.actions(); ++a) {
      if (!there_.knowledge->allowed(there_.state, a)) continue;
      names += (names.empty() ? "" : ", ") + problem_.action_name(a);
    }
    return names;
  }

  /// The longest action name that the event begins with, or a number.
  int read_action() {
    std::vector<std::string> names;
    int found = -1;
    action_length_ = 0;
    for (int a = 0; a < problem_.actions(); ++a) {
      names.push_back(problem_.action_name(a));
      if (begins_with_word(event_, names.back()) && names.back().size() > action_length_) {
        found = a;
        action_length_ = names.back().size();
      }
    }
    if (found < 0) {
      const std::string_view word = event_.substr(0, event_.find(' '));
      int number = -1;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error == std::errc{} && end == word.data() + word.size() && number >= 0 &&
          number < problem_.actions()) {
        action_length_ = word.size();
        return number;
      }
      wrong(unknown_name_message("action", word, names));
    }
    return found;
  }

  /// Everything that arriving after this outcome can show.
  void add_arrivals(const Way& way, int action, std::vector<Way>& ways) const {
    std::unique_ptr<Knowledge> after = there_.knowledge->clone();
    if (action != kArrive) after->observe(there_.state, action, way.outcome);
    const int x = way.outcome.next;
    for (const Knowledge::Prediction& p : after->predictions(x, kArrive)) {
      if (ways.size() == kMostWays)
        wrong("there are too many ways in which this can end to name one in words");
      Way& each = ways.emplace_back(way);
      each.probability *= p.probability;
      each.arrival = p.outcome;
      each.pays = way.outcome.reward + p.outcome.reward;
      each.sees =
          action == kArrive ? "" : problem_.observation_text(there_.state, action, way.outcome.observation);
      const std::string more = problem_.observation_text(x, kArrive, p.outcome.observation);
      if (!each.sees.empty() && !more.empty()) each.sees += ", ";
      each.sees += more;
    }
  }

  /// The one way that fits what was said happened.
  void take(int action, std::string_view said, const std::vector<Way>& ways) {
    std::vector<const Way*> fitting;
    for (const Way& way : ways) {
      if (way.probability > 0 && fits(way, said)) fitting.push_back(&way);
    }
    if (fitting.empty()) check_words(said);
    if (fitting.size() != 1) {
      std::vector<const Way*> all;
      for (const Way& way : ways) all.push_back(&way);
      const std::string could = descriptions(fitting.empty() ? all : fitting);
      wrong(fitting.empty() ? "that cannot happen; what can: " + could
                            : "this can end in several ways, say which: " + could);
    }
    const Way& way = *fitting.front();
    if (action != kArrive) there_.knowledge->observe(there_.state, action, way.outcome);
    there_.state = way.outcome.next;
    there_.knowledge->observe(there_.state, kArrive, way.arrival);
  }

  /// Only what differs between them.
  [[nodiscard]] std::string descriptions(const std::vector<const Way*>& ways) const {
    std::set<std::string> seen;
    std::set<double> paid;
    std::set<int> reached;
    for (const Way* way : ways) {
      seen.insert(way->sees);
      paid.insert(way->pays);
      reached.insert(way->outcome.next);
    }
    std::vector<std::string> texts;
    for (const Way* way : ways) {
      std::string text;
      if (seen.size() > 1 && !way->sees.empty()) text += " sees " + way->sees;
      if (paid.size() > 1) text += fmt::format(" pays {:g}", way->pays);
      if (reached.size() > 1) text += " to " + problem_.state_name(way->outcome.next);
      text = text.empty() ? "nothing to be seen" : text.substr(1);
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    constexpr std::size_t kMostShown = 8;
    std::string all;
    for (std::size_t i = 0; i < std::min(texts.size(), kMostShown); ++i)
      all += (i == 0 ? "" : "; ") + texts[i];
    return texts.size() > kMostShown ? all + fmt::format("; and {} more", texts.size() - kMostShown) : all;
  }

  const Problem& problem_;
  std::vector<std::string_view> events_;
  std::string_view event_;
  std::size_t action_length_ = 0;
  Situation there_;
};

}  // namespace

Situation situation_after(const Problem& problem, std::string_view history) {
  return Storyteller(problem, history).tell();
}

std::unique_ptr<World> world_in(const Problem& problem, const Situation& situation, Rng rng) {
  std::vector<std::uint64_t> belief;
  situation.knowledge->key(belief);
  std::unique_ptr<World> world = problem.world();
  world->recall(situation.state, problem.horizon() - situation.remaining, belief, rng);
  return world;
}

int state_named(const Problem& problem, std::string_view name) {
  int drawn = -1;
  int times = 0;
  std::vector<std::string> names;
  for (int x = 0; x < problem.states(); ++x) {
    names.push_back(problem.state_name(x));
    if (names.back() == name) return x;
    if (name.size() == 1 && problem.drawable() && problem.landmark(x) == name[0]) {
      drawn = x;
      ++times;
    }
  }
  if (times == 1) return drawn;
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size() && number >= 0 && number < problem.states()) {
    return number;
  }
  if (times > 1) throw UsageError(fmt::format("'{}' is drawn {} times: name one of them", name, times));
  throw UsageError(unknown_name_message("state", name, names));
}

}  // namespace assay
