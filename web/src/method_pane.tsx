// One method's episode: its grid, why it acts so, what it knows in numbers and maps, and its charts.
import { useMemo, useState } from "preact/hooks";
import type { Clock } from "./clock";
import { EpisodeChart } from "./episode_chart";
import { rewardFigure, worthFigure } from "./episode_figures";
import { GridCanvas } from "./grid_canvas";
import { inkOf, useTheme } from "./look";
import { cashText, largestCash, placeName } from "./moment";
import { known, plain, short } from "./numbers";
import { nameOf, quantityOf, STEP_QUANTITIES, symbolOf, valuesOf, type QuantityKey, type Ranges } from "./quantity";
import type { PlayedEpisode, PlayedFamily, Trace, TraceStep } from "./report";
import { ScaleLegend } from "./scale_legend";
import { SearchTree } from "./search_tree";
import { SmallMaps } from "./small_maps";
import { StepFacts } from "./step_facts";
import { Why } from "./why";

interface Props {
  name: "A" | "B";
  family: PlayedFamily;
  episode: PlayedEpisode;
  trace: Trace;
  clock: Clock;
  step: number;
  quantity: QuantityKey;
  onQuantity: (key: QuantityKey) => void;
  ranges: Ranges;
  worthRange: [number, number] | null;
  rewardRange: [number, number] | null;
}

function cellText(family: PlayedFamily, episode: PlayedEpisode, trace: Trace, now: TraceStep | undefined, state: number): string {
  const parts = STEP_QUANTITIES.map((quantity) => [symbolOf(quantity, trace), valuesOf(quantity.key, episode, now)[state]] as const)
    .filter(([, value]) => known(value))
    .map(([symbol, value]) => `${symbol} ${short(value)}`);
  if (known(episode.truth[state])) parts.push(`truth ${short(episode.truth[state])}`);
  return `${placeName(family, state)}: ${parts.join(", ") || "nothing known"}`;
}

export function MethodPane({ name, family, episode, trace, clock, step, quantity, onQuantity, ranges, worthRange, rewardRange }: Props) {
  const theme = useTheme();
  const ink = inkOf(theme);
  const [pointed, point] = useState<number | null>(null);
  const shown = quantityOf(quantity);
  const stepOf = (index: number) => trace.steps[Math.min(index, trace.steps.length - 1)];
  const now = stepOf(step);
  const unknown = valuesOf(quantity, episode, now).length === 0;
  const worth = useMemo(() => worthFigure(trace, theme, worthRange), [trace, theme, worthRange]);
  const reward = useMemo(() => rewardFigure(family, trace, theme, rewardRange), [family, trace, theme, rewardRange]);
  const cash = largestCash(trace);
  return (
    <article class="pane" aria-label={`method ${name}: ${trace.label}`}>
      <h3>
        {trace.label} <span class="error">returns {plain(trace.return)} in this episode</span>
      </h3>
      <Why family={family} trace={trace} step={step} />
      <SearchTree family={family} trace={trace} step={step} />
      <div class="stage">
        <div class="grid-holder">
          <GridCanvas
            clock={clock}
            scene={(index) => ({ family, trace, values: valuesOf(quantity, episode, stepOf(index)), range: ranges[shown.group], ink, small: false })}
            label={`${trace.label}: the agent at ${now ? placeName(family, now.state) : "no place"}, colours show ${nameOf(shown, trace)}`}
            onPoint={point}
          />
          <ScaleLegend range={unknown ? null : ranges[shown.group]} text={unknown ? `${symbolOf(shown, trace)}: not known to this method` : nameOf(shown, trace)} />
          <p class="cell-text">{pointed === null ? `Point at a ${family.moves ? "state" : "cell"} for its numbers.` : cellText(family, episode, trace, now, pointed)}</p>
        </div>
        <StepFacts family={family} trace={trace} step={step} />
      </div>
      <SmallMaps family={family} episode={episode} trace={trace} ranges={ranges} step={step} chosen={quantity} onChoose={onQuantity} />
      {worth.lines.length > 0 ? (
        <EpisodeChart figure={worth} clock={clock} heading="What the chosen place is worth" />
      ) : (
        <p class="unknown box">What a place is worth is not known to this method.</p>
      )}
      <EpisodeChart figure={reward} clock={clock} heading="Reward, earned and cashed" />
      <p class={cash !== null && step === cash ? "cash-note here" : "cash-note"}>
        {cash === null ? (
          trace.steps.some((one) => known(one.cashed)) ? "Nothing was cashed in this episode." : "What is cashed is not known to this method."
        ) : (
          <>
            {step === cash ? "Now: " : ""}
            {cashText(family, trace, cash)}{" "}
            {step !== cash && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  clock.pause();
                  clock.seek(cash);
                }}
              >
                go there
              </button>
            )}
          </>
        )}
      </p>
    </article>
  );
}
