// A legend of buttons that switch lines, and that shows the values under the pointer.
import type { MutableRef } from "preact/hooks";
import { useEffect, useRef } from "preact/hooks";

interface Entry {
  key: string;
  text: string;
  colour: string;
  dash: number[];
  bars?: boolean;
}

interface Props {
  entries: Entry[];
  off: ReadonlySet<string>;
  onToggle: (key: string) => void;
  readout?: MutableRef<(index: number | null) => void>;
  values?: (key: string, index: number) => string;
  place?: (index: number) => string;
}

export function Legend({ entries, off, onToggle, readout, values, place }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!readout || !values || !place) return;
    // The pointer moves often, so the text is set directly, without rendering the component again.
    readout.current = (index) => {
      const box = holder.current;
      if (!box) return;
      for (const span of box.querySelectorAll<HTMLElement>("[data-key]")) {
        const key = span.dataset["key"]!;
        span.textContent = index === null || off.has(key) ? "" : values(key, index);
      }
      box.querySelector(".place")!.textContent = index === null ? "" : place(index);
    };
  });
  return (
    <div class="legend" ref={holder} role="group" aria-label="lines of the chart">
      {entries.map((entry) => (
        <button type="button" aria-pressed={!off.has(entry.key)} onClick={() => onToggle(entry.key)}>
          <svg width="26" height="10" aria-hidden="true">
            {entry.bars ? (
              <rect x="7" width="12" height="10" fill={entry.colour} />
            ) : (
              <path d="M0 5H26" stroke={entry.colour} stroke-width="2.5" stroke-dasharray={entry.dash.join(" ") || undefined} />
            )}
          </svg>
          {entry.text} <span class="value" data-key={entry.key} />
        </button>
      ))}
      <span class="place" />
    </div>
  );
}
