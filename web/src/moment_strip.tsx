// The main point of the page in one picture: what knowledge is worth just before and just after it is gained.
import type { Clock } from "./clock";
import { GridCanvas } from "./grid_canvas";
import { inkOf, useTheme } from "./look";
import { beforeAndAfter, largestCash, placeInWords } from "./moment";
import { extent, signed } from "./numbers";
import { nameOf, quantityOf, symbolOf, valuesOf, type QuantityKey } from "./quantity";
import type { PlayedEpisode, PlayedFamily, Trace } from "./report";
import { ScaleLegend } from "./scale_legend";

interface Props {
  family: PlayedFamily;
  episode: PlayedEpisode;
  traces: Trace[];
  clock: Clock;
}

const SHOWN: QuantityKey[] = ["future", "current"];

/** The step of the largest cashed reward, if there are maps of it and of the step before. */
function drawableAt(episode: PlayedEpisode, trace: Trace): number | null {
  const cash = largestCash(trace);
  if (!cash) return null;
  return SHOWN.every((key) => [cash - 1, cash].every((index) => valuesOf(key, episode, trace.steps[index]).length > 0)) ? cash : null;
}

export function MomentStrip({ family, episode, traces, clock }: Props) {
  const ink = inkOf(useTheme());
  // A method that estimates the value of future information is preferred.
  const trace = traces.find((one) => drawableAt(episode, one) !== null) ?? traces.find((one) => (largestCash(one) ?? 0) > 0);
  const cash = trace ? largestCash(trace) : null;
  if (!trace || cash === null || cash === 0) return null;
  const drawable = drawableAt(episode, trace) !== null;
  const range = extent([cash - 1, cash].flatMap((index) => SHOWN.flatMap((key) => valuesOf(key, episode, trace.steps[index]))));
  const current = beforeAndAfter(trace, cash, "current");
  const future = beforeAndAfter(trace, cash, "future");
  const watch = () => {
    clock.pause();
    clock.setSpeed(1);
    clock.seek(Math.max(0, cash - 3));
    clock.play();
  };
  return (
    <div class="moment">
      <div class="moment-text">
        <h3>The moment knowledge pays</h3>
        <p>
          At step {cash} <strong>{trace.label}</strong> is at {placeInWords(family, trace.steps[cash]!.state)}. What it learns there makes its knowledge worth more by{" "}
          <strong>{signed(trace.steps[cash]!.cashed, 1)}</strong>: the largest cashed reward of the episode.
        </p>
        {current && future && (
          <p>
            What it still hopes to gain by finding out, v<sup>f</sup>, goes from <strong>{future[0]}</strong> to <strong>{future[1]}</strong>; what its knowledge is worth, v
            <sup>{trace.mean_plan ? "m" : "c"}</sup>, goes from <strong>{current[0]}</strong> to <strong>{current[1]}</strong>.
          </p>
        )}
        <button type="button" class="main" onClick={watch}>
          Watch it
        </button>
      </div>
      {drawable && (
        <div class="moment-maps">
          {[cash - 1, cash].map((index, column) => (
            <div class="moment-side">
              <h4>{column === 0 ? `before, step ${index}` : `after, step ${index}`}</h4>
              <div class="moment-pair">
                {SHOWN.map((key) => (
                  <figure>
                    <GridCanvas
                      position={index}
                      scene={() => ({ family, trace, values: valuesOf(key, episode, trace.steps[index]), range, ink, small: true })}
                      label={`${nameOf(quantityOf(key), trace)} at step ${index}`}
                    />
                    <figcaption>{key === "future" ? "v\u1da0: to be found out" : `${symbolOf(quantityOf("current"), trace)}: known`}</figcaption>
                  </figure>
                ))}
              </div>
            </div>
          ))}
          <ScaleLegend range={range} text="one scale for all four" />
        </div>
      )}
    </div>
  );
}
