import { useId } from 'preact/hooks'

/** A choice among a few visible options: radio buttons that look like one control. */
export function Segmented<T extends string>(props: {
  label: string
  options: readonly (readonly [value: T, label: string])[]
  value: T
  onChange: (value: T) => void
}) {
  const name = useId()
  return (
    <div class="segmented" role="radiogroup" aria-label={props.label}>
      {props.options.map(([value, label]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  )
}
