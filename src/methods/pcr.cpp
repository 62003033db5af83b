// pcr: predictive reward cashing with a network (paper, section "Experiments" and appendix C).
//
// The value of future information v^f = B w is learned from cashed rewards. The agent acts greedily with
// respect to v^c + v^f.
#include "assay/problem/registry.hpp"
#include "methods/value_learner.hpp"

namespace assay {
namespace {

using S = ValueSettings;

const std::vector<std::string> kOffOn = {"off", "on"};

const RegisterMethod<ValueMethod, S> kRegistered(
    "pcr", "predictive reward cashing with a network: learns what finding out is worth, within its bound",
    Schema<S>({
        preset("preset", &S::preset, {"best", "paper"}, {S{}, paper_settings()},
               "what all other parameters start from: our best, or the paper's description"),
        choice("form", &S::form, {"auto", "state", "action"},
               "what values belong to: the states that one goes to, where moves are known and certain and "
               "arriving or acting pays (the paper's form), or the actions of states, on any problem; auto "
               "is the "
               "first where it can be"),
        choice("current", &S::current, {"sampled", "linear", "mean"},
               "how the value of current information is computed: from pairs of a drawn plan and a drawn "
               "environment (the paper's M = 1 has one environment for all plans), from drawn plans in the "
               "mean environment, or from the mean environment's own plan"),
        choice(
            "lambda", &S::lambda, {"exact", "approximate"},
            "cashed reward: r + discount v^c' - v^c, or what the information of a step adds to v^c, without "
            "the rewards on the way to it, which misleads where rewards can be below 0"),
        choice("reward", &S::reward, {"drawn", "expected"},
               "the reward in the exact cashed reward: as it was paid, or as the belief expected it"),
        choice("bound", &S::bound, kOffOn, "keep v^f between 0 and B"),
        choice("start", &S::start, {"reward", "current"},
               "what the network's output is added to: the expected reward, or the value of current "
               "information"),
        choice("clock", &S::clock, {"stationary", "remaining"},
               "values for the whole horizon at every step, or for the steps that remain"),
        choice("next", &S::next, {"taken", "greedy"},
               "learn from the value of the next place that was visited, or of the best next place"),
        choice("inputs", &S::inputs, {"raw", "normalised"},
               "the belief's features as they are, or their logarithms with E[reward], v^c, B and the time "
               "left"),
        choice("network", &S::network, {"patch", "action", "dense", "auto"},
               "3x3 convolution and a table; a hidden layer for every action of a state; two fully connected "
               "layers; or the first in the state form and the second in the state-action form"),
        choice("common", &S::common_numbers, kOffOn, "the same random numbers at all steps of an episode"),
        choice("keep", &S::keep, {"best", "last", "average"},
               "parameters of the policy: those of the best training epoch, of the last, or an average over "
               "about 100"),
        choice("gradient", &S::gradient, {"semi", "residual"},
               "gradient of the learned value alone, or also of the value that it is learned from"),
        integer("samples", &S::samples, 2, 100'000, "environments drawn for each belief"),
        integer(
            "bound_samples", &S::bound_samples, 1, 100'000,
            "how many of them the bound is computed from: each a plan with an environment of its own, where "
            "the paper has one environment for all plans (M = 1)"),
        integer("hidden", &S::hidden, 1, 10'000, "channels of the convolution"),
        real("output_scale", &S::output_scale, 0, 1000,
             "factor of the convolution's output beside the table"),
        integer("epochs", &S::epochs, 1, 100'000'000, "gradient steps"),
        integer("batch", &S::batch, 1, 100'000, "episodes in an epoch"),
        real("epsilon", &S::epsilon, 0, 1, "share of random moves in training, at the beginning"),
        real("final_epsilon", &S::final_epsilon, 0, 1, "share of random moves in training, at the end"),
        real("sticky", &S::sticky, 1, 1000, "mean number of times that a random move is repeated"),
        real("rate", &S::rate, 0, 100, "Adam's step size, at the beginning"),
        real("final_rate", &S::final_rate, 0, 100, "Adam's step size, at the end"),
    }));

}  // namespace
}  // namespace assay
