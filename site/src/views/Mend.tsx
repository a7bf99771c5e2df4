// Changes that would make a plan possible, as buttons that apply them.

import type { Remedies, Remedy } from '../engine/api'
import { capital, clean } from './format'
import './views.css'

interface MendProps {
  /** null while they are searched for. */
  mend: Remedies | null
  onMend(remedy: Remedy): void
}

export function Mend({ mend, onMend }: MendProps) {
  return (
    <section class="mend" aria-label="What would fix it">
      <p class="muted">
        {!mend
          ? 'Looking for a change that makes a plan possible …'
          : mend.remedies.length === 0
            ? 'No single change that was tried is enough.'
            : mend.jobs > 1
              ? `${mend.jobs} jobs need a change each. Each of these is enough for its job: each was tried. Undo reverts it.`
              : 'Each of these changes alone makes a plan possible: each was tried. Undo reverts it.'}
      </p>
      {mend && (
        <div>
          {mend.remedies.map(remedy => (
            <button key={remedy.text} type="button" class="button" onClick={() => onMend(remedy)}>
              {capital(clean(remedy.text))}
            </button>
          ))}
        </div>
      )}
    </section>
  )
}
