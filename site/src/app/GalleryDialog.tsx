import { useEffect } from 'preact/hooks'
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
  return (
    <Dialog title="Gallery" wide onClose={onClose}>
      <p class="muted">
        Open a scenario as it is, or with the one change that breaks its plan; undo takes the change back.
      </p>
      <ul class="cards">
        {gallery.map(({ name, lesson, text, twist }) => (
          <li key={name} class="card">
            <Thumbnail text={text} sketches={sketches} />
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
                  store.status.value = `${twist.label}: done. Undo takes it back.`
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
