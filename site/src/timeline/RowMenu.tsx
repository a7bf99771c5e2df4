// The menu of a row: changes to its GPU or link.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { beside } from '../ui/beside'
import { type Choice, choicesOf, type Row, rowName } from './changes'
import type { Model } from './model'

interface RowMenuProps {
  model: Model
  row: Row
  /** Where it opens, in the window. */
  at: { x: number; y: number }
  onChoose(choice: Choice): void
  onClose(): void
}

export function RowMenu({ model, row, at, onChoose, onClose }: RowMenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const shown = menu.current!
    // A click elsewhere and Escape close it, so it opens only after the click that caused it has ended.
    const timer = setTimeout(() => {
      shown.showPopover()
      beside(shown, { left: at.x, right: at.x, top: at.y, bottom: at.y })
      items()[0]?.focus()
    })
    return () => clearTimeout(timer)
  }, [])
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const keyDown = (event: KeyboardEvent) => {
    const all = items()
    const now = all.indexOf(document.activeElement as HTMLElement)
    const next = {
      ArrowRight: now + 1,
      ArrowDown: now + 1,
      ArrowLeft: now - 1,
      ArrowUp: now - 1,
      Home: 0,
      End: all.length - 1,
    }[event.key]
    // The timeline's keys have other meanings here.
    event.stopPropagation()
    if (event.key === 'Tab') menu.current?.hidePopover()
    if (next === undefined) return
    event.preventDefault()
    all[(next + all.length) % all.length]?.focus()
  }
  const name = rowName(model, row)
  return (
    <div
      ref={menu}
      popover="auto"
      class="row-menu"
      role="menu"
      aria-label={`What may happen to ${name}`}
      tabIndex={-1}
      onKeyDown={keyDown}
      onToggle={event => event.newState === 'closed' && onClose()}
    >
      <strong aria-hidden="true">{name}</strong>
      {choicesOf(model, row).map(group => (
        // biome-ignore lint/a11y/useSemanticElements: a menu has groups, not fieldsets
        <div key={group.name} role="group" aria-label={group.name}>
          <span aria-hidden="true">{group.name}</span>
          {group.choices.map(choice => (
            <button
              key={choice.label}
              type="button"
              class="button quiet"
              role="menuitem"
              tabIndex={-1}
              title={choice.words}
              aria-label={`${choice.label}: ${choice.words}`}
              onClick={() => {
                menu.current?.hidePopover()
                onChoose(choice)
              }}
            >
              {choice.label}
            </button>
          ))}
        </div>
      ))}
    </div>
  )
}
