// What may be wider than its place scrolls in it, with the keyboard too.

import type { ComponentChildren } from 'preact'

export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard
    <div class="table-wrap" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
