// Closes overlays like menus: on Escape, and on a click outside.

import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** inside: what a click does not close, as a selector; opener: the button that gets the focus back. */
export function useDismiss(
  open: Signal<boolean>,
  inside: string,
  opener: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    if (!open.value) return
    const close = () => {
      open.value = false
    }
    const onPointerDown = ({ target }: Event) => {
      if (target instanceof Element && !target.closest(inside)) close()
    }
    // Before the page's own Escape, which stops planning.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      close()
      opener.current?.focus()
    }
    document.addEventListener('pointerdown', onPointerDown)
    document.addEventListener('keydown', onKeyDown, true)
    return () => {
      document.removeEventListener('pointerdown', onPointerDown)
      document.removeEventListener('keydown', onKeyDown, true)
    }
  }, [open.value])
}
