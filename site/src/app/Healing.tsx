// The effect of a change made on the timeline: shown until the scenario changes again.
import type { Store } from '../state/store'
import { Icon } from '../ui/icons'
import { capital } from '../views/format'
import { healedWords } from '../views/healed'
import type { RunView } from '../views/props'
import { statusWords } from '../views/words'

export function Healing({ store, run, stale }: { store: Store; run: RunView; stale: boolean }) {
  const made = store.made.value
  const view = store.planning.view.value
  if (!made || !view || made.text !== store.text.text.value) return null
  const problems = store.reading.value.text === made.text ? store.reading.value.problems : []
  const words = stale || run.running || !made.before ? '' : healedWords(made.before, view, run.objective)
  const then =
    problems.length > 0
      ? `Then there is no plan: ${problems[0]!.message}.`
      : stale || run.running
        ? 'Replanning …'
        : `${capital(words)} ${statusWords(run).text}`
  return (
    <div class="healing" role="status">
      <p>
        <strong>{made.words}.</strong> {then}
      </p>
      <button type="button" class="button" onClick={() => store.text.undo()}>
        <Icon name="undo" /> Undo
      </button>
      <button
        type="button"
        class="button quiet icon"
        aria-label="Close"
        onClick={() => (store.made.value = null)}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}
