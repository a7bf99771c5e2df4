import { gallery } from '../scenario/gallery/gallery'
import type { Session } from '../state/session'
import { Dialog } from '../ui/Dialog'

export function GalleryDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { store } = session
  return (
    <Dialog title="Gallery" wide onClose={onClose}>
      <p class="muted">
        Open a scenario as it is, or with the one change that breaks its plan; undo takes the change back.
      </p>
      <ul class="cards">
        {gallery.map(({ name, lesson, text, twist }) => (
          <li key={name} class="card">
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
                  store.text.edit(twist.apply(text), 'input.twist')
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
