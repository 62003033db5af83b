// The player's buttons, and the line that explains its keys.
import { useEffect, useRef } from "preact/hooks";
import { SPEEDS, type Clock } from "./clock";

const ICONS = {
  start: "M1 3h2.5v12H1zM13 3v12L4.5 9z",
  back: "M11 3v12L2.5 9z",
  forward: "M3 3v12l8.5-6z",
  end: "M1 3v12l8.5-6zM10.5 3H13v12h-2.5z",
};

function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 14 18" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

interface Props {
  clock: Clock;
  step: number;
  last: number;
  progress: number | null; // of the GIF being made
  onGif: () => void;
}

export function PlayerControls({ clock, step, last, progress, onGif }: Props) {
  const scrubber = useRef<HTMLInputElement>(null);
  useEffect(
    () =>
      clock.eachFrame(() => {
        if (scrubber.current) scrubber.current.value = `${clock.position}`;
      }),
    [clock],
  );
  // A slider without a value stands in the middle; a slider whose maximum changes keeps its relative position.
  useEffect(() => {
    if (scrubber.current) scrubber.current.value = `${clock.position}`;
  });
  return (
    <div class="controls">
      <div class="buttons">
        <button type="button" onClick={() => clock.stepBy(-Infinity)} aria-label="to the start" title="to the start">
          <Icon name="start" />
        </button>
        <button type="button" onClick={() => clock.stepBy(-1)} aria-label="one step back" title="one step back">
          <Icon name="back" />
        </button>
        <button type="button" class="main play" onClick={() => clock.toggle()}>
          {clock.playing ? "Pause" : "Play"}
        </button>
        <button type="button" onClick={() => clock.stepBy(1)} aria-label="one step forward" title="one step forward">
          <Icon name="forward" />
        </button>
        <button type="button" onClick={() => clock.stepBy(Infinity)} aria-label="to the end" title="to the end">
          <Icon name="end" />
        </button>
      </div>
      <input
        ref={scrubber}
        class="scrubber"
        type="range"
        min="0"
        max={last}
        step="any"
        aria-label="step of the episode"
        aria-valuetext={`step ${step} of ${last}`}
        onInput={(event) => {
          clock.pause();
          clock.seek(Math.round(Number(event.currentTarget.value)));
        }}
      />
      <output class="step-number">
        step <strong id="step">{step}</strong> of {last}
      </output>
      <label class="field">
        speed
        <select id="speed" value={`${clock.speed}`} onChange={(event) => clock.setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((speed) => (
            <option value={`${speed}`}>{speed}×</option>
          ))}
        </select>
      </label>
      <button type="button" id="save-gif" onClick={onGif} disabled={progress !== null}>
        {progress === null ? "Save GIF" : `GIF ${Math.round(progress * 100)} %`}
      </button>
    </div>
  );
}
