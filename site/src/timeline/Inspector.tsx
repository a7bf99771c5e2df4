// The selected element in words. The panel keeps its place when nothing is selected.

import { CONTROL } from '../ui/control'
import type { Description } from './describe'

/** How to use the picture; changes: whether the cluster can be changed in it. */
export const hintOf = (changes: boolean) =>
  `Drag to move, ${CONTROL} and wheel to zoom; with the keyboard: Enter, then arrows. Double-click zooms to an iteration.${
    changes ? ' Click the name of a GPU or link, or press M, to make it fail or to change its speed.' : ''
  }`

interface InspectorProps {
  /** Beside the buttons: without reasons and without a hint to select something. */
  compact: boolean
  /** How to use the picture. */
  hint: string
  description: Description | null
  onCause: (() => void) | null
  onStep: ((by: number) => void) | null
  onFocus: (() => void) | null
  onClear(): void
}

export function Inspector({ compact, hint, description, onCause, onStep, onFocus, onClear }: InspectorProps) {
  return (
    <div class={compact ? 'inspector compact' : 'inspector'}>
      <div class="inspector-text" role="status" aria-live="polite">
        {description ? (
          <>
            <strong>{description.title}</strong>
            <dl>
              {description.facts.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {description.why && !compact && <p>{description.why}</p>}
          </>
        ) : compact ? null : (
          <div class="muted">
            <p>Select a task to see its job, depth and times, and why it starts when it does.</p>
            <p class="timeline-hint">{hint}</p>
          </div>
        )}
      </div>
      {description && (
        <div class="inspector-actions">
          {onStep && (
            <>
              <button
                type="button"
                class="button quiet"
                title="Previous iteration ([)"
                aria-label="Previous iteration"
                onClick={() => onStep(-1)}
              >
                ‹
              </button>
              <button
                type="button"
                class="button quiet"
                title="Next iteration (])"
                aria-label="Next iteration"
                onClick={() => onStep(1)}
              >
                ›
              </button>
            </>
          )}
          {onCause && !compact && (
            <button type="button" class="button quiet" onClick={onCause}>
              What it waited for
            </button>
          )}
          {onFocus && !compact && (
            <button type="button" class="button quiet" title="Zoom to it (F)" onClick={onFocus}>
              Zoom to it
            </button>
          )}
          <button
            type="button"
            class="button quiet"
            title="Clear the selection (Esc)"
            aria-label="Clear the selection"
            onClick={onClear}
          >
            ✕
          </button>
        </div>
      )}
    </div>
  )
}
