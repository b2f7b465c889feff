/** A few choices side by side, exactly one of them taken. */

interface Option<T extends string> {
  value: T;
  label: string;
}

export function Segments<T extends string>(props: {
  label: string;
  name: string;
  options: readonly Option<T>[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="field">
      <legend className="field-label">{props.label}</legend>
      <div className="segments">
        {props.options.map(({ value, label }) => (
          <label key={value} className="segment">
            <input type="radio" name={props.name} checked={value === props.value} onChange={() => props.onChange(value)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
