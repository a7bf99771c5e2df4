// The way from a problem to the field of the form that shows the value.

/** Puts the focus into the field of that place, as problems write it; false where none shows it, or none can be filled in. */
export function goToField(form: HTMLElement, place: string): boolean {
  // Of a list of values there is one field.
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
