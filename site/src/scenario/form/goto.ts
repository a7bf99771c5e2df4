// Goes from a problem to the field of the form that shows its value.

/** Focuses the field of a place, written as in problems; false if no field shows it, or it cannot be edited. */
export function goToField(form: HTMLElement, place: string): boolean {
  // A list of values has one field.
  const list = place.replace(/(\[\d+\])+$/, '')
  const field = form.querySelector(`[data-at="${CSS.escape(place)}"], [data-at="${CSS.escape(list)}"]`)
  const control = field?.querySelector<HTMLElement>(':is(input:not([type="range"]), select):enabled')
  if (!control) return false
  for (let fold = control.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
    fold.open = true
  control.focus({ preventScroll: true })
  control.scrollIntoView({ block: 'center' })
  return true
}
