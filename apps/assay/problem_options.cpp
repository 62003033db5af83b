// The options of commands about one problem.
#include "assay/options.hpp"

namespace assay::cli {

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* list = add_command(
      app, "list", "Show the families, methods and their parameters.",
      "assay list families\n\n"
      "--json prints one object with the arrays families and methods; each entry has name, summary and "
      "parameters, and each of these name, type, range, default and help.");
  list->add_option("kind", options.kind, "families or methods; all if left out");
  add_json(list, options.json);
}

void add_exact(CLI::App& app, ExactCommand& c) {
  CLI::App* exact = add_command(
      app, "exact",
      "Solve a problem exactly: the Bayes-optimal value, what present knowledge is worth, and "
      "what more of it could add.",
      "assay exact \"t_maze(distance=3,arm=3)\" --policy\n\n"
      "--json prints one object with the numbers bayes_optimal (v*), current_information (v^c), "
      "future_information (v^f = v* - v^c), full_information (E[v^e]), bound (B = E[v^e] - v^c), "
      "states and seconds; standard_errors, zero where a number is exact; sources, each "
      "with the value without it; and, with --policy, policy: all decisions that the optimal agent can come "
      "to, step by step, one a line as they are found. Each has step, state, state_name, belief (as text), "
      "belief_numbers (the probability of each environment, or all a and then all b of the Beta laws of "
      "unknown chances), action, action_name and value; belief_names are the environments' names and "
      "decisions says how many there are.");
  exact->add_option("family", c.family, kFamilyHelp)->required();
  add_json(exact, c.json);
  exact->add_flag("--policy", c.policy,
                  "show the optimal policy for each belief, drawn where the family is a grid");
  exact
      ->add_option("--max-states", c.max_states,
                   "belief states that may be held in memory; one with more than 8 cells or environments "
                   "counts for several")
      ->capture_default_str()
      ->check(whole_number(1, 4'000'000'000));
  add_threads(exact, c.threads);
  exact
      ->add_option("--samples", c.samples,
                   "pairs of environments to average v^c and E[v^e] over where they have no exact form")
      ->capture_default_str()
      ->check(whole_number(2, 100'000'000));
  add_seed(exact, c.seed, "seed of that average");
}

namespace {

void add_tree(CLI::App* command, int& levels) {
  command
      ->add_option(
          "--tree", levels,
          "levels of the search tree to show, of methods that search: 1 for the actions, 2 also for how "
          "they can end and the actions there")
      ->capture_default_str()
      ->check(whole_number(0, 20));
}

}  // namespace

void add_play(CLI::App& app, PlayCommand& c) {
  CLI::App* play = add_command(
      app, "play", "Play an episode, or several, and show it step by step.",
      "assay play t_maze --policy exact --seed 1\n\n"
      "--json prints one object with family, policy, seed, episode, environment (the hidden one: number and "
      "name; null unless there are finitely many), truth (by state: what a step there pays on average in the "
      "hidden environment), return, discounted_return, belief_names (the environments, by number) and steps; "
      "with --episodes, one such object a line for each episode. A step has "
      "step, state, state_name, arrival and outcome (each with reward, observation as numbers, seen as text; "
      "outcome also with next and next_name), action, action_name, "
      "belief (which the action was chosen with), belief_after, both also as belief_numbers and "
      "belief_numbers_after (the probability of each environment; or all a, then all b of the Beta laws of "
      "unknown chances), what the place that it goes to is worth "
      "(current_information v^c, future_information v^f, bound B; null where unknown) and cashed_reward. "
      "Where "
      "the policy searches, search has simulations, timed, certain, lower, upper, upper_error and actions; "
      "an "
      "action has action, name, visits, value, lower, upper, ends (probability, state, state_name, acted, "
      "arrived, visits, "
      "actions) and more_ends.");
  play->add_option("family", c.family, kFamilyHelp)->required();
  play->add_option("--policy", c.policy,
                   "the method that chooses, or the file of a trained policy; see `assay list methods`")
      ->capture_default_str();
  add_seed(play, c.seed, "seed of the hidden environment, its outcomes and the policy");
  play->add_option(
          "--episodes", c.episodes,
          "play so many, each in an environment of its own; the first is the one without this option")
      ->check(whole_number(1, 100'000'000));
  add_json(play, c.json);
  play->add_option("--speed", c.speed, "steps a second of the animation on a terminal")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1000.0));
  play->add_flag("--no-animation", c.still, "print every step below the last, as to a file");
  add_tree(play, c.tree);
  add_threads(play, c.threads);
}

void add_cross(CLI::App& app, CrossCommand& c) {
  CLI::App* cross = add_command(
      app, "cross",
      "Map what knowledge is worth: v^c, E[v^e], the bound B and the expected cashed reward in every state.",
      "assay cross \"treasure_map(size=7)\" --seed 1\n"
      "  assay cross \"treasure_map(size=3)\" --after \"0,arrive,1:4; 0,right,0; 1,arrive,0:0\"\n"
      "  assay cross t_maze --after \"0,arrive,0:1\"\n\n"
      "A history is events state,action,outcome separated by semicolons. The action is a name, a number or "
      "arrive; the outcome is the reward, then what was seen after a colon, then the next state after > "
      "where it "
      "is not certain.\n\n"
      "Estimators: summed (exact, for finite beliefs), linear (exact over the world, drawn over the plan; "
      "needs "
      "known transitions), paired (both drawn), crossed (the paper's: all plans in the same --worlds), mean "
      "(v^m, "
      "the plan of the mean environment), best (the best of the drawn plans). auto takes the first that the "
      "problem allows.\n\n"
      "--json prints one object with family, belief, estimator, samples, seed, remaining (null: without an "
      "end) "
      "and states; each has state, state_name, current_information, full_information, bound, "
      "expected_cashed_reward and standard_errors, 0 where exact and null where unknown.");
  cross->add_option("family", c.family, kFamilyHelp)->required();
  cross->add_option("--after", c.after, "what has happened: state,action,outcome; ...");
  cross->add_option("--estimator", c.estimator, "auto, summed, linear, paired, crossed, mean or best")
      ->capture_default_str();
  cross->add_option("--samples", c.samples, "environments to draw as plans")
      ->capture_default_str()
      ->check(whole_number(2, 10'000'000));
  cross->add_option("--worlds", c.worlds, "environments to value the plans in, for the estimator crossed")
      ->capture_default_str()
      ->check(whole_number(1, 100'000));
  cross
      ->add_option("--remaining", c.remaining,
                   "steps that are left; 0 for what --after leaves of the horizon")
      ->capture_default_str()
      ->check(whole_number(0, 1'000'000));
  cross->add_flag("--endless", c.endless, "without an end (needs a discount below 1)");
  cross
      ->add_option(
          "--outcomes", c.outcomes,
          "outcomes to draw for the expected cashed reward; 0 leaves it out (the default for more than "
          "400 states)")
      ->check(whole_number(0, 1'000'000));
  add_seed(cross, c.seed, "seed of all draws");
  cross->add_option("--kernel", c.kernel, kKernelHelp)->capture_default_str();
  add_threads(cross, c.threads);
  add_json(cross, c.json);
}

void add_solve(CLI::App& app, SolveCommand& c) {
  CLI::App* command = add_command(
      app, "solve",
      "Say what to do about a problem, what that is worth, how sure that is, and what finding out is worth.",
      "assay solve examples/problems/tiger.toml\n\n"
      "Small problems are solved exactly. With finitely many environments, larger ones get certified bounds "
      "from a "
      "search that goes on until they meet or the time is over (or Ctrl-C); others a policy that is learned "
      "and "
      "simulated, whose return is a lower bound with an interval, below what full information would be "
      "worth.\n\n"
      "--json prints one object with family, method, exact, lower and upper (each with value, interval and "
      "certified), "
      "gap, fixed_plan and fixed_plan_upper (bounds of what the best plan collects that ignores what will be "
      "seen; equal where it was found), current_information (v^c), "
      "full_information (E[v^e]), bound (B), standard_errors, first_actions "
      "(by "
      "step), sources (how often used, value_without), episodes, beliefs and seconds.");
  command->add_option("family", c.family, kFamilyHelp)->required();
  command->add_option("--method", c.method, "auto, exact, search, or any other of `assay list methods`")
      ->capture_default_str();
  add_time_limit(command, c.time_limit, "seconds for all that is done; ends what is not finished by then");
  add_memory(command, c.memory);
  command->add_option("--policy", c.policy,
                      "file to keep the policy in, for `assay evaluate` and `assay play`");
  add_json(command, c.json);
  command->add_option("--episodes", c.episodes, "episodes to simulate")
      ->capture_default_str()
      ->check(whole_number(2, 100'000'000));
  add_seed(command, c.seed, "seed of learning and simulation");
  add_threads(command, c.threads);
}

void add_explain(CLI::App& app, ExplainCommand& c) {
  CLI::App* command = add_command(
      app, "explain",
      "Say why: what each action is worth in a situation, and what of that is due to what it shows.",
      "assay explain examples/problems/tiger.toml\n"
      "  assay explain examples/problems/tiger.toml --after \"listen sees growl left; listen sees growl "
      "left\"\n"
      "  assay explain examples/problems/t_maze.toml --at junction\n"
      "  assay explain t_maze --method \"bamcp(simulations=3000)\" --tree 2\n\n"
      "A history is events separated by semicolons. An event is the name of an action (or start), and as "
      "much of what "
      "came of it as is needed: sees ..., pays ..., to ... . --at puts the agent somewhere else, with the "
      "same "
      "knowledge.\n\n"
      "--json prints one object with family, state, belief, remaining, exact, decimals (that are certain), "
      "certified, plans_exact, words "
      "and actions, "
      "the best "
      "first; each has action, name, value (lower and upper), current_information, cashed_reward, "
      "future_information, tells_apart (groups of environments) and guessed. With --method: family, method, "
      "state, "
      "belief, remaining, action, action_name, words and search, as `assay play --json` has it.");
  command->add_option("family", c.family, kFamilyHelp)->required();
  command->add_option("--after", c.after, "what has happened: \"action sees ... pays ... to ...; ...\"");
  command->add_option("--at", c.at, "a state, by its name, its number or its letter on the map");
  command
      ->add_option("--remaining", c.remaining,
                   "steps that are left; 0 for what --after leaves of the horizon")
      ->capture_default_str()
      ->check(whole_number(0, 1'000'000));
  command->add_option(
      "--method", c.method,
      "a method that searches, such as bamcp: what it looks at here and what it then does; its own "
      "parameters say for how long");
  add_tree(command, c.tree);
  add_time_limit(command, c.time_limit, "seconds for all that is done, without --method");
  add_memory(command, c.memory);
  add_json(command, c.json);
  add_seed(command, c.seed, "seed of what has to be drawn");
  add_threads(command, c.threads);
}

void add_check(CLI::App& app, CheckCommand& c) {
  CLI::App* command = add_command(
      app, "check", "Read a problem file and say what is wrong with it, or hardly meant.",
      "assay check examples/problems/t_maze.toml\n\n"
      "Errors name the line and the column and what would be right. Warnings: states that cannot be reached, "
      "environments that nothing can tell apart, letters that are not drawn, cues that are right no more "
      "often than a guess.\n\n"
      "--json prints one object with file, name, states and actions (their names), horizon, discount, "
      "episodes, "
      "environments (each with name and probability) or unknown_rewards (their names), and warnings.");
  command->add_option("file", c.file, "a problem file (TOML)")->required();
  add_json(command, c.json);
}

}  // namespace assay::cli
