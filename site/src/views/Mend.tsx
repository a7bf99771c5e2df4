// Changes that would make a plan possible, as buttons that apply them.

import type { Remedy } from '../engine/api'
import { capital, clean } from './format'
import './views.css'

interface MendProps {
  /** null while they are searched for. */
  remedies: readonly Remedy[] | null
  onMend(remedy: Remedy): void
}

export function Mend({ remedies, onMend }: MendProps) {
  return (
    <section class="mend" aria-label="What would fix it">
      <p class="muted">
        {!remedies
          ? 'Looking for a change that makes a plan possible …'
          : remedies.length > 0
            ? 'Each of these changes alone makes a plan possible: each was tried. Undo reverts it.'
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
