// The registry finds families and methods by name. They register themselves in their own files, with their
// parameters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

// Parameters with names, types and ranges: a plain struct, and a schema that says how text fills it.
//
//   struct Settings { int arms = 2; double discount = 1; };
//   Schema<Settings> schema({integer("arms", &Settings::arms, 1, 100, "number of arms"), ...});
//
// Defaults are the initialisers of the struct, unless the schema is given others, as presets do.

/// A parameter as it is shown to people.
struct ParameterInfo {
  std::string name, type, range, default_value, help;
};

namespace detail {
int parse_integer(const std::string& key, const std::string& value, int low, int high,
                  const std::string& help);
double parse_real(const std::string& key, const std::string& value, double low, double high,
                  const std::string& help);
std::size_t parse_choice(const std::string& key, const std::string& value,
                         const std::vector<std::string>& choices, const std::string& help);
int parse_steps(const std::string& key, const std::string& value, int most, const std::string& help);
std::string steps_text(int steps);
std::string steps_range(int most);
std::string integer_range(int low, int high);
std::string real_range(double low, double high);
std::string choice_range(const std::vector<std::string>& choices);
std::string real_text(double value);
[[noreturn]] void throw_unknown_parameter(const std::string& given, const std::vector<std::string>& known);
}  // namespace detail

template <class Settings>
struct Parameter {
  ParameterInfo info;  // default_value is filled in by Schema
  std::function<void(Settings&, const std::string&)> read;
  std::function<std::string(const Settings&)> write;
  bool first = false;  // read before all others: a preset, which the others change
};

template <class Settings>
Parameter<Settings> integer(std::string name, int Settings::*member, int low, int high, std::string help) {
  return {
      {name, "integer", detail::integer_range(low, high), "", help},
      [=](Settings& s, const std::string& v) { s.*member = detail::parse_integer(name, v, low, high, help); },
      [=](const Settings& s) { return std::to_string(s.*member); }};
}

/// A horizon: from 1 to `most` steps, or `endless`, which is kEndless.
template <class Settings>
Parameter<Settings> steps(std::string name, int Settings::*member, int most, std::string help) {
  return {{name, "integer", detail::steps_range(most), "", help},
          [=](Settings& s, const std::string& v) { s.*member = detail::parse_steps(name, v, most, help); },
          [=](const Settings& s) { return detail::steps_text(s.*member); }};
}

template <class Settings>
Parameter<Settings> real(std::string name, double Settings::*member, double low, double high,
                         std::string help) {
  return {
      {name, "real", detail::real_range(low, high), "", help},
      [=](Settings& s, const std::string& v) { s.*member = detail::parse_real(name, v, low, high, help); },
      [=](const Settings& s) { return detail::real_text(s.*member); }};
}

/// An enumeration whose values 0, 1, ... are called `choices[0]`, `choices[1]`, ...
template <class Settings, class Enum>
Parameter<Settings> choice(std::string name, Enum Settings::*member, const std::vector<std::string>& choices,
                           std::string help) {
  return {{name, "choice", detail::choice_range(choices), "", help},
          [=](Settings& s, const std::string& v) {
            s.*member = static_cast<Enum>(detail::parse_choice(name, v, choices, help));
          },
          [=](const Settings& s) { return choices[static_cast<std::size_t>(s.*member)]; }};
}

/// A parameter that selects named settings to start from: `choices[i]` selects `presets[i]`. Other
/// parameters of the same text change them.
template <class Settings, class Enum>
Parameter<Settings> preset(std::string name, Enum Settings::*member, const std::vector<std::string>& choices,
                           const std::vector<Settings>& presets, std::string help) {
  Parameter<Settings> parameter = choice(name, member, choices, help);
  parameter.read = [=](Settings& s, const std::string& v) {
    s = presets[detail::parse_choice(name, v, choices, help)];
  };
  parameter.first = true;
  return parameter;
}

template <class Settings>
class Schema {
 public:
  Schema(std::vector<Parameter<Settings>> parameters, Settings defaults = {})
      : parameters_(std::move(parameters)), defaults_(std::move(defaults)) {
    for (auto& parameter : parameters_) parameter.info.default_value = parameter.write(defaults_);
  }

  /// Throws UsageError for an unknown key or a value that is not of its type or out of its range.
  Settings read(const Spec& spec) const {
    Settings settings = defaults_;
    for (const bool first : {true, false}) {
      for (const auto& [key, value] : spec.settings) {
        const Parameter<Settings>& parameter = find(key);
        if (parameter.first == first) parameter.read(settings, value);
      }
    }
    return settings;
  }

  /// The canonical name, with every parameter written out.
  std::string text(const std::string& name, const Settings& settings) const {
    std::string joined;
    for (const auto& parameter : parameters_) {
      joined += (joined.empty() ? "" : ",") + parameter.info.name + "=" + parameter.write(settings);
    }
    return joined.empty() ? name : name + "(" + joined + ")";
  }

  std::vector<ParameterInfo> info() const {
    std::vector<ParameterInfo> all;
    for (const auto& parameter : parameters_) all.push_back(parameter.info);
    return all;
  }

 private:
  const Parameter<Settings>& find(const std::string& key) const {
    std::vector<std::string> known;
    for (const auto& parameter : parameters_) {
      if (parameter.info.name == key) return parameter;
      known.push_back(parameter.info.name);
    }
    detail::throw_unknown_parameter(key, known);
  }

  std::vector<Parameter<Settings>> parameters_;
  Settings defaults_;
};

/// What is registered: a name, parameters, and how the thing is made.
template <class Made>
struct Entry {
  std::string name;
  std::string summary;
  std::vector<ParameterInfo> parameters;
  std::vector<std::string> small;  // specs small enough to be enumerated, for the conformance tests
  std::function<std::unique_ptr<Made>(const Spec&)> make;
};

/// The names of one kind ("family", "method"), sorted.
template <class Made>
class Registry {
 public:
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  void add(Entry<Made> entry);
  [[nodiscard]] const std::vector<Entry<Made>>& entries() const { return entries_; }
  /// Throws UsageError that names the nearest known name.
  [[nodiscard]] const Entry<Made>& find(std::string_view name) const;
  /// Makes what `name(key=value,...)` describes. The name precedes error messages.
  [[nodiscard]] std::unique_ptr<Made> make(std::string_view text) const;

 private:
  std::string kind_;
  std::vector<Entry<Made>> entries_;
};

extern template class Registry<Problem>;
extern template class Registry<Method>;

Registry<Problem>& families();
Registry<Method>& methods();

/// Where problems come from that are not families with names: files.
struct ProblemLoader {
  std::function<bool(std::string_view)> knows;
  std::function<std::unique_ptr<Problem>(const std::string&)> load;
};
void set_problem_loader(ProblemLoader loader);

/// A problem from the name of a family or of a problem file.
std::unique_ptr<Problem> make_problem(std::string_view text);
inline std::unique_ptr<Method> make_method(std::string_view text) { return methods().make(text); }

template <class M, class Settings>
struct RegisterMethod {
  RegisterMethod(const std::string& name, const std::string& summary, const Schema<Settings>& schema) {
    // For the conformance tests, a method need not learn much.
    bool learns = false;
    for (const ParameterInfo& parameter : schema.info()) learns = learns || parameter.name == "epochs";
    const std::string small = learns ? name + "(epochs=2)" : name;
    methods().add({name, summary, schema.info(), {small}, [schema, name](const Spec& spec) {
                     const Settings settings = schema.read(spec);
                     auto method = std::make_unique<M>(settings);
                     method->set_name(schema.text(name, settings));
                     return method;
                   }});
  }
};

}  // namespace assay
