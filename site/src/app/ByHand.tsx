// A plan that a visitor changes by hand: the checker's verdict, and the distance to the bound.
import type { Store } from '../state/store'
import { Icon } from '../ui/icons'
import type { RunView } from '../views/props'
import { handWords } from '../views/words'

/** How many violated rules are listed. */
const FEW = 3

export function ByHand({ store, run }: { store: Store; run: RunView }) {
  const plan = store.hand.plan.value
  if (!plan) return null
  const broken = plan.verdict?.violations ?? []
  return (
    <div class={`by-hand${broken.length > 0 ? ' broken' : ''}`}>
      <div role="status" aria-label="By hand">
        <p>
          <strong>By hand.</strong> {handWords(run, plan)}
        </p>
        {broken.length > 0 && (
          <ul>
            {broken.slice(0, FEW).map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
            {broken.length > FEW && <li>and {broken.length - FEW} more</li>}
          </ul>
        )}
      </div>
      <button type="button" class="button" disabled={plan.moves === 0} onClick={() => store.hand.undo()}>
        <Icon name="undo" /> Undo move
      </button>
      <button type="button" class="button quiet" onClick={() => store.hand.end()}>
        Planner’s plan
      </button>
    </div>
  )
}
