#include "assay/history.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"

namespace assay::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads one event; its complaints say which.
class EventReader {
 public:
  EventReader(const Problem& problem, const Knowledge& knowledge, std::string_view text, std::size_t place)
      : problem_(problem), knowledge_(knowledge), text_(text), place_(place) {}

  struct Event {
    int state = 0;
    int action = kArrive;
    Outcome outcome;
  };

  [[nodiscard]] Event read() const {
    const std::vector<std::string_view> parts = split(text_, ',');
    if (parts.size() != 3) wrong("an event is state,action,outcome, as in 0,arrive,1:3");
    Event event;
    event.state = state(parts[0]);
    event.action = action(parts[1], event.state);
    event.outcome = outcome(parts[2], event);
    return event;
  }

  [[noreturn]] void wrong(const std::string& why) const {
    throw UsageError(
        fmt::format("--after, event {} '{}': {}", place_, printable(std::string(text_), 80), why));
  }

 private:
  [[nodiscard]] int state(std::string_view text) const {
    const std::optional<int> x = number<int>(text);
    if (!x || *x < 0 || *x >= problem_.states()) {
      wrong(fmt::format("'{}' is not a state from 0 to {}", printable(std::string(text), 40),
                        problem_.states() - 1));
    }
    return *x;
  }

  [[nodiscard]] int action(std::string_view text, int state) const {
    if (text == "arrive") return kArrive;
    std::vector<std::string> known = {"arrive"};
    int found = number<int>(text).value_or(kArrive);
    for (int a = 0; a < problem_.actions(); ++a) {
      known.push_back(problem_.action_name(a));
      if (known.back() == text) found = a;
    }
    if (found < 0 || found >= problem_.actions())
      wrong(unknown_name_message("action", std::string(text), known));
    if (!knowledge_.allowed(state, found)) {
      wrong(fmt::format("{} is not possible in state {}", problem_.action_name(found), state));
    }
    return found;
  }

  [[nodiscard]] Outcome outcome(std::string_view text, const Event& event) const {
    Outcome seen;
    const std::size_t arrow = text.find('>');
    if (arrow != std::string_view::npos) {
      seen.next = state(trimmed(text.substr(arrow + 1)));
      text = trimmed(text.substr(0, arrow));
    } else {
      seen.next = event.action == kArrive ? event.state : only_next(event);
    }
    const std::size_t colon = text.find(':');
    const std::optional<double> reward = number<double>(trimmed(text.substr(0, colon)));
    if (!reward) wrong("an outcome starts with the reward, as in 1 or 0:3");
    seen.reward = *reward;
    if (colon == std::string_view::npos) return seen;
    for (const std::string_view part : split(text.substr(colon + 1), ' ')) {
      if (part.empty()) continue;
      const std::optional<int> k = number<int>(part);
      if (!k) {
        wrong(fmt::format("'{}', seen after the colon, is not a whole number",
                          printable(std::string(part), 40)));
      }
      seen.observation.push_back(*k);
    }
    return seen;
  }

  /// Where an action leads when there is only one such place.
  [[nodiscard]] int only_next(const Event& event) const {
    if (!knowledge_.known_transitions()) wrong("say where it led, with >state at the end");
    const TabularMdp mdp = knowledge_.mean();
    const std::size_t pair = static_cast<std::size_t>(event.state) * static_cast<std::size_t>(mdp.actions) +
                             static_cast<std::size_t>(event.action);
    if (mdp.first_arc[pair + 1] - mdp.first_arc[pair] != 1) wrong("say where it led, with >state at the end");
    return mdp.arcs[mdp.first_arc[pair]].next;
  }

  const Problem& problem_;
  const Knowledge& knowledge_;
  std::string_view text_;
  std::size_t place_;
};

}  // namespace

History observe_history(const std::string& text, const Problem& problem, Knowledge& knowledge) {
  History history;
  if (trimmed(text).empty()) return history;
  std::size_t place = 0;
  for (const std::string_view part : split(text, ';')) {
    ++place;
    if (part.empty()) continue;  // a semicolon at the end
    const EventReader reader(problem, knowledge, part, place);
    const EventReader::Event event = reader.read();
    try {
      knowledge.observe(event.state, event.action, event.outcome);
    } catch (const ImpossibleEvidence& error) {
      reader.wrong(error.what());
    }
    if (event.action != kArrive) ++history.actions;
  }
  return history;
}

}  // namespace assay::cli
