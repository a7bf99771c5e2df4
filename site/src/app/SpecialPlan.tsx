// What shows of a scenario that is not planned by tasks.
import type { MoldAnswer } from '../engine/api'
import { fields, text as nameOf } from '../scenario/spec'
import { parse } from '../scenario/yaml/patch'
import type { SpecialView } from '../state/special'
import type { Store } from '../state/store'
import { part } from '../ui/part'
import { clean, decimal, plural, short, ticks } from '../views/format'
import { commandOf } from './command'

const Bursts = part(() => import('../views/Bursts').then(module => module.Bursts))

export function SpecialPlan({ store, view }: { store: Store; view: SpecialView }) {
  const { bursts, mold, error, problems } = view
  if (error)
    return (
      <p class="empty alarm" role="alert">
        {problems.length > 0
          ? 'The scenario has problems: mend them, and the plan follows.'
          : `It could not be planned: ${clean(error)}`}
      </p>
    )
  const stale = view.text !== store.text.text.value
  if (bursts)
    return (
      <div class={`plan-view${stale ? ' stale' : ''}`}>
        <Bursts plan={bursts} command={commandOf(view.text, nameOf(fields(parse(view.text)).name))} />
      </div>
    )
  if (mold) return <Workers store={store} mold={mold} />
  return (
    <p class="empty muted">
      {view.kind === 'mold'
        ? 'The numbers of workers are left to the planner, which tries them by quick plans.'
        : 'The plan is on its way.'}
    </p>
  )
}

/** What was chosen for moldable jobs; the plan follows once it stands in the file. */
function Workers({ store, mold }: { store: Store; mold: MoldAnswer }) {
  const names = mold.workers.map(w => `${short(w.job)} ${w.workers}`).join(', ')
  const tried =
    mold.tried < mold.choices
      ? `${decimal(mold.tried)} of ${plural(mold.choices, 'combination')}`
      : mold.choices === 1
        ? 'the only combination'
        : `all ${plural(mold.choices, 'combination')}`
  return (
    <section class="plan-view chosen" aria-label="Workers of moldable jobs">
      <h2>Workers chosen: {names}</h2>
      <p>
        By quick plans of {tried}.{' '}
        {mold.value === null
          ? 'None of them has a plan.'
          : `The plan takes ${ticks(mold.value, mold.tick_us)}; with any numbers none ends before ${ticks(mold.bound, mold.tick_us)}, by exact arithmetic.`}
      </p>
      <button
        type="button"
        class="button primary"
        onClick={() => void store.choose(mold, `Workers: ${names}`)}
      >
        Plan with these
      </button>
    </section>
  )
}
