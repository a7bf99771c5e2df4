// What would mend a scenario that has no plan, as buttons that do it.

import type { Remedy } from '../engine/api'
import { capital, clean } from './format'
import './views.css'

interface MendProps {
  /** null while they are looked for. */
  remedies: readonly Remedy[] | null
  onMend(remedy: Remedy): void
}

export function Mend({ remedies, onMend }: MendProps) {
  return (
    <section class="mend" aria-label="What would mend it">
      <p class="muted">
        {!remedies
          ? 'Looking for a change with which there is a plan …'
          : remedies.length > 0
            ? 'With any one of these there is a plan: each was tried. Undo takes it back.'
            : 'No single change that was tried is enough.'}
      </p>
      {remedies && (
        <div>
          {remedies.map(remedy => (
            <button key={remedy.text} type="button" class="button" onClick={() => onMend(remedy)}>
              {capital(clean(remedy.text))}
            </button>
          ))}
        </div>
      )}
    </section>
  )
}
