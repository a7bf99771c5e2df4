// The selected element of a timeline, whichever part of the page selected it, and how keys select others.

import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TimelineProps } from '../views/props'
import type { Picked } from './act'
import { elementOf } from './move'
import { type Element, selectionOf } from './scene'
import type { View } from './useView'

export function usePicked(view: View, { selection, onSelect }: TimelineProps): Picked {
  const { model, selection: valid } = view.scene
  const row = useRef<number | undefined>(undefined)
  const show = (element: Element | null, onRow?: number) => {
    row.current = onRow
    if (element) onSelect(selectionOf(model, element))
  }
  // A new selection is scrolled into sight, but not when the page opens.
  const shown = useRef(selection)
  useLayoutEffect(() => {
    if (valid === shown.current) return
    shown.current = valid
    const element = valid && valid.iteration > 0 ? elementOf(model, valid) : null
    if (element) view.reveal(element, row.current)
  }, [selection])
  return {
    element: valid && elementOf(model, valid),
    row: () => row.current,
    show,
    step: by => {
      if (valid) show(elementOf(model, { ...valid, iteration: Math.max(valid.iteration + by, 1) }))
    },
  }
}
