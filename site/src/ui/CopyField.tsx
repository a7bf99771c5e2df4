import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { CONTROL } from './control'

/** A text to copy. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const said = useSignal('')
  const copy = async () => {
    // Select first: if the browser forbids the clipboard, Ctrl-C copies it.
    input.current?.select()
    try {
      await navigator.clipboard.writeText(value)
      said.value = 'Copied'
    } catch {
      said.value = `Press ${CONTROL}+C`
    }
  }
  return (
    <div class="copy">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={input}
        class="input"
        readOnly
        value={value}
        onFocus={event => event.currentTarget.select()}
      />
      <button type="button" class="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{said.value}</span>
    </div>
  )
}
