import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

/** Tabs after the WAI-ARIA pattern: arrow keys choose; the Tab key stops once. */
export function Tabs<T extends string>(props: {
  label: string
  tabs: readonly (readonly [value: T, label: string])[]
  value: T
  onChange: (value: T) => void
  children: ComponentChildren
}) {
  const { tabs, value, onChange } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  // On a low screen the panel is out of sight: a tab would seem to do nothing.
  const show = (tab: T) => {
    onChange(tab)
    requestAnimationFrame(() => panel.current?.scrollIntoView({ block: 'nearest' }))
  }
  const choose = (index: number) => {
    const next = tabs[(index + tabs.length) % tabs.length]!
    show(next[0])
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(step)
  }
  return (
    <section class="tabs">
      <div class="tab-list" role="tablist" aria-label={props.label} ref={list}>
        {tabs.map(([tab, label], i) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-${tab}`}
            aria-selected={tab === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab === value ? 0 : -1}
            onClick={() => show(tab)}
            onKeyDown={event => onKeyDown(event, i)}
          >
            {label}
          </button>
        ))}
      </div>
      <div
        class="tab-panel"
        ref={panel}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
      >
        {props.children}
      </div>
    </section>
  )
}
