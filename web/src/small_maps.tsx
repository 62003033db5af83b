// All quantities of one step side by side.
import { GridCanvas } from "./grid_canvas";
import { inkOf, useTheme } from "./look";
import { nameOf, STEP_QUANTITIES, symbolOf, valuesOf, type QuantityKey, type Ranges } from "./quantity";
import type { PlayedEpisode, PlayedFamily, Trace } from "./report";

interface Props {
  family: PlayedFamily;
  episode: PlayedEpisode;
  trace: Trace;
  ranges: Ranges;
  step: number;
  chosen: QuantityKey;
  onChoose: (key: QuantityKey) => void;
}

export function SmallMaps({ family, episode, trace, ranges, step, chosen, onChoose }: Props) {
  const ink = inkOf(useTheme());
  const moment = trace.steps[Math.min(step, trace.steps.length - 1)];
  return (
    <div class="small-maps">
      {STEP_QUANTITIES.map((quantity) => {
        const values = valuesOf(quantity.key, episode, moment);
        return (
          <button type="button" aria-pressed={quantity.key === chosen} onClick={() => onChoose(quantity.key)} title={`${nameOf(quantity, trace)}: ${quantity.meaning}`}>
            <span class="symbol">{symbolOf(quantity, trace)}</span>
            {values.length > 0 ? (
              <GridCanvas
                position={step}
                scene={() => ({ family, trace, values, range: ranges[quantity.group], ink, small: true })}
                label={`${nameOf(quantity, trace)} at step ${step}`}
              />
            ) : (
              <span class="unknown">not known to this method</span>
            )}
          </button>
        );
      })}
    </div>
  );
}
