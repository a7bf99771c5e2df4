// A word with its definition, which shows while the pointer is on it or it has the focus, and
// which screen readers read behind it.
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { beside } from './beside'

export function Term({ text, children }: { text: string; children: ComponentChildren }) {
  const id = useId()
  const word = useRef<HTMLButtonElement>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const show = () => {
    if (!word.current || !tip.current || tip.current.matches(':popover-open')) return
    tip.current.showPopover()
    beside(tip.current, word.current.getBoundingClientRect())
  }
  const hide = () => tip.current?.hidePopover()
  // It may be read with the pointer on it, and stays while the word has the focus.
  const leave = () => {
    if (document.activeElement !== word.current) hide()
  }
  return (
    <span class="term" onPointerEnter={show} onPointerLeave={leave}>
      <button
        ref={word}
        type="button"
        aria-describedby={id}
        onFocus={show}
        onBlur={hide}
        onClick={show}
        onKeyDown={event => {
          if (event.key !== 'Escape' || !tip.current?.matches(':popover-open')) return
          // It ends nothing else.
          event.stopPropagation()
          event.preventDefault()
          hide()
        }}
      >
        {children}
      </button>
      <span ref={tip} id={id} role="tooltip" popover="manual">
        {text}
      </span>
    </span>
  )
}
