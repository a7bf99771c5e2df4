// A text that shows beside an element while the pointer is on it or the keyboard in it, and that
// Escape puts away. Whoever shows it names it in aria-describedby, so that screen readers read it.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { beside } from './beside'

/** anchor is what it stands beside, tip the popover that has the text. */
export function useTip<Anchor extends HTMLElement>() {
  const anchor = useRef<Anchor>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const acts = useMemo(() => {
    const shows = () => tip.current?.matches(':popover-open') ?? false
    const place = () => {
      if (anchor.current && tip.current) beside(tip.current, anchor.current.getBoundingClientRect())
    }
    // What gets the focus may come into sight only then.
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
        // It ends nothing else.
        event.stopPropagation()
        event.preventDefault()
        hide()
      },
    }
  }, [])
  useEffect(() => acts.hide, [])
  return { anchor, tip, ...acts }
}
