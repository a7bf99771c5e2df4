/** A switch that takes effect immediately. */
export function Switch(props: {
  label: string
  on: boolean
  title?: string
  onChange: (on: boolean) => void
}) {
  return (
    <label class="toggle" title={props.title}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={props.on}
        checked={props.on}
        onChange={event => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  )
}
