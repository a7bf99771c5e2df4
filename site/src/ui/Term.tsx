// A word with its definition, which is shown while the pointer is on it or it has the focus, and
// which screen readers read after it.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useTip } from './tip'

export function Term({ text, children }: { text: string; children: ComponentChildren }) {
  const id = useId()
  const { anchor, tip, show, hide, onKeyDown } = useTip<HTMLButtonElement>()
  // The pointer may rest on the definition, and it stays while the word has the focus.
  const leave = () => {
    if (document.activeElement !== anchor.current) hide()
  }
  return (
    <span class="term" onPointerEnter={show} onPointerLeave={leave}>
      <button
        ref={anchor}
        type="button"
        aria-describedby={id}
        onFocus={show}
        onBlur={hide}
        onClick={show}
        onKeyDown={onKeyDown}
      >
        {children}
      </button>
      <span ref={tip} id={id} role="tooltip" popover="manual">
        {text}
      </span>
    </span>
  )
}
