// Selects one of several items: tabs for a few, a list for many.

interface Props {
  label: string;
  options: { key: string; text: string }[];
  chosen: string;
  onChoose: (key: string) => void;
}

const MANY = 8;

export function Tabs({ label, options, chosen, onChoose }: Props) {
  if (options.length < 2) return null;
  if (options.length > MANY) {
    return (
      <label class="field">
        {label}
        <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
          {options.map((option) => (
            <option value={option.key}>{option.text}</option>
          ))}
        </select>
      </label>
    );
  }
  return (
    <div class="tabs" role="group" aria-label={label}>
      {options.map((option) => (
        <button type="button" aria-pressed={option.key === chosen} onClick={() => onChoose(option.key)}>
          {option.text}
        </button>
      ))}
    </div>
  );
}
