// The problems that the validator found, each with a link to its place.
import { useEffect } from 'preact/hooks'
import type { Problem } from '../engine/api'
import type { Store } from '../state/store'

const most = 20

export function Problems({ store, onGo }: { store: Store; onGo(problem: Problem): void }) {
  const { problems } = store.reading.value
  // They take space below the form: keep the field that is being filled in in sight.
  useEffect(() => {
    const field = document.activeElement
    if (problems.length > 0 && field?.closest('.form')) field.scrollIntoView({ block: 'nearest' })
  }, [problems.length])
  if (problems.length === 0) return null
  return (
    <section class="problems" aria-label="Problems">
      <ul>
        {problems.slice(0, most).map((problem, i) => (
          <li key={i}>
            <button type="button" class="button quiet" onClick={() => onGo(problem)}>
              {problem.line > 0 && (
                <span class="muted number">
                  {problem.line}
                  {problem.column > 0 && `:${problem.column}`}
                </span>
              )}
              {problem.path && <code>{problem.path}</code>}
              <span>{problem.message}</span>
            </button>
          </li>
        ))}
      </ul>
      {problems.length > most && <p class="muted">and {problems.length - most} more</p>}
    </section>
  )
}
