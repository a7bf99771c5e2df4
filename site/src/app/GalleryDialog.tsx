import { useEffect, useRef, useState } from 'preact/hooks'
import { gallery } from '../scenario/gallery/gallery'
import type { Session } from '../state/session'
import type { Sketches } from '../state/sketches'
import { Dialog } from '../ui/Dialog'
import { Thumbnail } from './Thumbnail'

export function GalleryDialog({
  session,
  sketches,
  onClose,
}: {
  session: Session
  sketches: Sketches
  onClose: () => void
}) {
  const { store } = session
  useEffect(() => () => sketches.rest(), [])
  const cards = useRef<HTMLUListElement>(null)
  // One observer for all cards reports them in order; several observers would report in any order.
  const [seen, setSeen] = useState<ReadonlySet<string | undefined>>(new Set())
  useEffect(() => {
    const observer = new IntersectionObserver(entries => {
      const now = entries
        .filter(entry => entry.isIntersecting)
        .map(({ target }) => (target as HTMLElement).dataset.name)
      if (now.length > 0) setSeen(before => new Set([...before, ...now]))
    })
    for (const card of cards.current?.children ?? []) observer.observe(card)
    return () => observer.disconnect()
  }, [])
  return (
    <Dialog title="Gallery" wide onClose={onClose}>
      <p class="muted">
        Open a scenario as it is, or with one change that breaks its plan; undo reverts the change.
      </p>
      <ul class="cards" ref={cards}>
        {gallery.map(({ name, lesson, text, twist }) => (
          <li key={name} class="card" data-name={name}>
            <Thumbnail text={text} sketches={sketches} seen={seen.has(name)} />
            <h3>{name}</h3>
            <p>{lesson}</p>
            <div class="actions">
              <button
                type="button"
                class="button"
                aria-label={`Open ${name}`}
                onClick={() => {
                  session.openNew(text)
                  onClose()
                }}
              >
                Open
              </button>
              <button
                type="button"
                class="button"
                aria-label={`Open ${name}, then: ${twist.label}`}
                onClick={() => {
                  session.openNew(text)
                  store.text.edit(twist.apply(text), true)
                  store.status.value = `${twist.label}: done. Undo reverts it.`
                  onClose()
                }}
              >
                {twist.label}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
