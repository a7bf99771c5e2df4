// The fields of forms. Each shows a value and reports changes immediately; a number field and
// its slider are one control with one name.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { nearestStep, type Quantity } from '../scenario/quantity'
import { type Path, pathText } from '../scenario/yaml/path'
import { useTip } from './tip'

interface Common {
  /** The place in the scenario that it shows: problems there lead to it. */
  at?: Path
  label: string
  hint?: string
  disabled?: boolean
}

/** The id of a control's hint, which describes it. */
export const hintOf = (id: string, hint: string | undefined) =>
  hint ? { 'aria-describedby': `${id}-hint` } : {}

/** A control with its label. The hint is shown while the pointer is on the label or the control has the focus. */
export function Row(
  props: Common & {
    id: string
    class?: string
    /** What is wrong with the typed text; shown in place of the hint. */
    wrong?: string
    children: ComponentChildren
  },
) {
  const { label, hint, wrong = '', id, children } = props
  const { anchor, tip, show, hide, onKeyDown } = useTip<HTMLDivElement>()
  useEffect(() => {
    if (wrong) show()
    else if (!hint) hide()
  }, [wrong])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is in it takes the keys
    <div
      class={props.class ?? 'field'}
      data-at={props.at && pathText(props.at)}
      ref={anchor}
      onFocusIn={event => {
        // While a slider is dragged by pointer, the hint must not hide anything.
        if ((event.target as Element).matches(':focus-visible')) show()
      }}
      onFocusOut={hide}
      onKeyDown={onKeyDown}
    >
      <label for={id} onPointerEnter={show} onPointerLeave={hide}>
        {label}
      </label>
      {children}
      {(wrong || hint) && (
        <span ref={tip} id={`${id}-hint`} role="tooltip" popover="manual">
          {wrong || hint}
        </span>
      )}
    </div>
  )
}

export function NumberField(
  props: Common & {
    value: number
    min: number
    max: number
    step?: number
    onChange: (value: number) => void
  },
) {
  const id = useId()
  const { value, min, max, step = 1, disabled, onChange } = props
  const draft = useSignal<string | null>(null)
  const bad = draft.value !== null
  const wrong = bad ? `${step % 1 === 0 ? 'A whole number' : 'A number'}, at least ${min}.` : ''
  const type = (text: string) => {
    const typed = Number(text)
    const fits =
      text.trim() !== '' &&
      Number.isFinite(typed) &&
      typed >= min &&
      (step % 1 !== 0 || Number.isInteger(typed))
    draft.value = fits ? null : text
    if (fits) onChange(typed)
  }
  return (
    <Row {...props} wrong={wrong} id={id}>
      <input
        type="range"
        aria-label={`${props.label}, slider`}
        {...hintOf(id, props.hint)}
        {...{ min, max, step, disabled }}
        value={Math.min(value, max)}
        onInput={event => {
          draft.value = null
          onChange(Number(event.currentTarget.value))
        }}
      />
      <input
        id={id}
        {...hintOf(id, wrong || props.hint)}
        class="input number narrow"
        inputMode={step % 1 === 0 ? 'numeric' : 'decimal'}
        disabled={disabled}
        aria-invalid={bad}
        value={draft.value ?? String(value)}
        onInput={event => type(event.currentTarget.value)}
        onBlur={() => {
          draft.value = null
        }}
      />
    </Row>
  )
}

export function QuantityField(
  props: Common & { value: string; quantity: Quantity; onChange: (value: string) => void },
) {
  const id = useId()
  const { value, quantity, disabled, onChange, hint = `Like ${quantity.example}.` } = props
  const draft = useSignal<string | null>(null)
  return (
    <Row {...props} hint={hint} id={id}>
      <input
        type="range"
        aria-label={`${props.label}, slider`}
        aria-valuetext={value}
        {...hintOf(id, hint)}
        min={0}
        max={quantity.steps.length - 1}
        disabled={disabled}
        value={nearestStep(quantity, value)}
        onInput={event => {
          draft.value = null
          onChange(quantity.steps[Number(event.currentTarget.value)]!)
        }}
      />
      <input
        id={id}
        {...hintOf(id, hint)}
        class="input number narrow"
        disabled={disabled}
        aria-invalid={draft.value !== null}
        value={draft.value ?? value}
        onInput={event => {
          const text = event.currentTarget.value
          const fits = quantity.read(text) !== null
          draft.value = fits ? null : text
          if (fits) onChange(text)
        }}
        onBlur={() => {
          draft.value = null
        }}
      />
    </Row>
  )
}

export function TextField(
  props: Common & {
    value: string
    placeholder?: string
    /** Whether a text is valid in the file; other texts stay in the field, marked. */
    fits?: (text: string) => boolean
    onChange: (value: string) => void
  },
) {
  const id = useId()
  const draft = useSignal<string | null>(null)
  return (
    <Row {...props} id={id}>
      <input
        id={id}
        {...hintOf(id, props.hint)}
        class="input wide"
        disabled={props.disabled}
        placeholder={props.placeholder}
        aria-invalid={draft.value !== null}
        value={draft.value ?? props.value}
        onInput={event => {
          const text = event.currentTarget.value
          const fits = props.fits?.(text) ?? true
          draft.value = fits ? null : text
          if (fits) props.onChange(text)
        }}
        onBlur={() => {
          draft.value = null
        }}
      />
    </Row>
  )
}

export function SelectField(
  props: Common & {
    value: string
    options: readonly (readonly [value: string, label: string])[]
    onChange: (value: string) => void
  },
) {
  const id = useId()
  // A value in the file that is not in the list stays visible.
  const known = props.options.some(([value]) => value === props.value)
  return (
    <Row {...props} id={id}>
      <select
        id={id}
        {...hintOf(id, props.hint)}
        class="select wide"
        disabled={props.disabled}
        value={props.value}
        onChange={event => props.onChange(event.currentTarget.value)}
      >
        {!known && <option value={props.value}>{props.value || '–'}</option>}
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Row>
  )
}

export function CheckField(props: Common & { value: boolean; onChange: (value: boolean) => void }) {
  const id = useId()
  return (
    <Row {...props} id={id}>
      <input
        id={id}
        {...hintOf(id, props.hint)}
        type="checkbox"
        disabled={props.disabled}
        checked={props.value}
        onChange={event => props.onChange(event.currentTarget.checked)}
      />
    </Row>
  )
}
