/** Something that is on or off, with what it is about. */
import { useId } from 'react';

export function Switch(props: { label: string; lead: string; checked: boolean; onChange: (checked: boolean) => void }) {
  const leadId = useId();
  return (
    <label className="switch">
      <span className="switch-words">
        {props.label}
        <small id={leadId}>{props.lead}</small>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-label={props.label}
        aria-describedby={leadId}
        checked={props.checked}
        aria-checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
      />
    </label>
  );
}
