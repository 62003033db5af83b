// The legend of the colour scale.
import { GRADIENT, type Range } from "./colour_scale";
import { short } from "./numbers";

export function ScaleLegend({ range, text }: { range: Range | null; text: string }) {
  return (
    <div class="scale">
      <span class="scale-text">{text}</span>
      {range && (
        <span class="scale-bar">
          {short(range[0])}
          <span class="ramp" style={{ background: GRADIENT }} />
          {short(range[1])}
        </span>
      )}
    </div>
  );
}
