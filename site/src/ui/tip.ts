// A text shown beside an element while the pointer is on it or it has the focus, and hidden by
// Escape. Users of it name it in aria-describedby, so that screen readers read it.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { beside } from './beside'

/** anchor is the element beside which it is shown, tip the popover with the text. */
export function useTip<Anchor extends HTMLElement>() {
  const anchor = useRef<Anchor>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const acts = useMemo(() => {
    const shows = () => tip.current?.matches(':popover-open') ?? false
    const place = () => {
      if (anchor.current && tip.current) beside(tip.current, anchor.current.getBoundingClientRect())
    }
    // An element that gets the focus may be scrolled into sight only then.
    const scroll = ['scroll', place, { capture: true, passive: true }] as const
    const hide = () => {
      window.removeEventListener(...scroll)
      if (shows()) tip.current?.hidePopover()
    }
    return {
      show: () => {
        if (!tip.current || shows()) return
        tip.current.showPopover()
        place()
        window.addEventListener(...scroll)
      },
      hide,
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key !== 'Escape' || !shows()) return
        // This Escape must not do anything else.
        event.stopPropagation()
        event.preventDefault()
        hide()
      },
    }
  }, [])
  useEffect(() => acts.hide, [])
  return { anchor, tip, ...acts }
}
