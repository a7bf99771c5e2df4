// The chosen numbers of workers of moldable jobs: the gain, the plan with them, and the other choices.
import type { ComponentChildren } from 'preact'
import type { MoldAnswer } from '../engine/api'
import { Term } from '../ui/Term'
import { DataTable } from './Figure'
import { change, clean, plural, ticks, UNKNOWN } from './format'
import { glossary } from './glossary'
import { boundOfMold, gainOfMold, triedOf, workersOf } from './molds'
import './views.css'

/** How many choices have a row. */
const ROWS = 16

interface MoldsProps {
  mold: MoldAnswer
  /** Why there is no plan, if there is none. */
  reasons: readonly string[]
  /** The drawn plan with the chosen numbers. */
  children: ComponentChildren
  /** The command line that makes the same choice. */
  command: string
  /** Writes the choice into the file; null while the file is another one. */
  onChoose: (() => void) | null
}

export function Molds({ mold, reasons, children, command, onChoose }: MoldsProps) {
  const best = mold.tried[0]
  if (!best) return null
  const planned = best.value !== null
  const optimal = planned && best.value === mold.bound
  const later = mold.tried.length - ROWS
  return (
    <section class="explain" aria-label="Workers of moldable jobs">
      <p class={`status-line ${optimal ? 'tone-good' : planned ? '' : 'tone-bad'}`}>
        <span class="pill">{optimal ? 'Optimal' : planned ? 'Feasible' : 'No plan found'}</span>
        {planned
          ? `Workers chosen: ${workersOf(mold, best.workers)}, by quick plans of ${triedOf(mold)}.`
          : `No plan was found in quick plans of ${triedOf(mold)}.`}
      </p>
      {reasons.length > 0 && (
        <ul class="reasons">
          {reasons.map(reason => (
            <li key={reason}>{clean(reason)}</li>
          ))}
        </ul>
      )}
      {planned && (
        <div class="gain">
          <p>{gainOfMold(mold) || `The plan ends after ${ticks(best.value, mold.tick_us)}.`}</p>
          <Term text={glossary.moldable}>What is chosen?</Term>
        </div>
      )}
      <p>{boundOfMold(mold)}</p>
      {planned && (
        <div class="tools">
          <button type="button" class="button primary" disabled={!onChoose} onClick={() => onChoose?.()}>
            Plan with these
          </button>
          <span class="muted">adds them to the scenario, which is then planned thoroughly</span>
        </div>
      )}
      <div>{children}</div>
      <section>
        <h2>Numbers of workers</h2>
        <DataTable
          caption="Numbers of workers, the best first"
          head={['Workers', ['Ends after', glossary.mold_value], 'Relative to the best']}
          rows={mold.tried
            .slice(0, ROWS)
            .map(({ workers, value }, i) => [
              workersOf(mold, workers),
              value === null ? 'no plan found' : ticks(value, mold.tick_us, best.value),
              i === 0 ? 'chosen' : againstBest(value, best.value),
            ])}
        />
        {later > 0 && <p class="muted">And {plural(later, 'combination')} more, none of them better.</p>}
      </section>
      <p class="muted">
        The same on the command line: <code>{command}</code>
      </p>
    </section>
  )
}

/** How much later than the best a plan ends. */
function againstBest(value: number | null, best: number | null): string {
  if (value === null || !best) return UNKNOWN
  return value === best ? 'as good' : change(value / best - 1)
}
