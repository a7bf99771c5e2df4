// What is shown for a scenario that is not planned task by task.
import { fields, text as nameOf } from '../scenario/spec'
import { parse } from '../scenario/yaml/patch'
import type { Molded, SpecialView } from '../state/special'
import type { Store } from '../state/store'
import { Timeline } from '../timeline/Timeline'
import { Later } from '../ui/Later'
import { part } from '../ui/part'
import { clean } from '../views/format'
import { workersOf } from '../views/molds'
import { commandOf } from './command'

const Bursts = part(() => import('../views/Bursts').then(module => module.Bursts))
const Molds = part(() => import('../views/Molds').then(module => module.Molds))

export function SpecialPlan({ store, view }: { store: Store; view: SpecialView }) {
  const { bursts, mold, error, problems } = view
  if (error)
    return (
      <p class="empty alarm" role="alert">
        {problems.length > 0
          ? 'The scenario has problems: fix them to get a plan.'
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
  if (mold) return <Moldable store={store} view={view} mold={mold} />
  return (
    <p class="empty muted">
      {!store.special.busy.value
        ? 'It was stopped before there was a plan; “Plan” makes one.'
        : view.kind === 'mold'
          ? 'The planner is choosing the numbers of workers: it tries them in quick plans.'
          : 'The plan is on its way.'}
    </p>
  )
}

/** The choice for moldable jobs, with its plan. */
function Moldable({ store, view, mold }: { store: Store; view: SpecialView; mold: Molded }) {
  const { answer, instance, result } = mold
  const [best] = answer.tried
  const stale = view.text !== store.text.text.value
  return (
    <div class={`plan-view${stale ? ' stale' : ''}`}>
      <Molds
        mold={answer}
        reasons={result.schedule ? [] : result.reasons}
        command={commandOf(view.text, nameOf(fields(parse(view.text)).name), {
          seed: 0,
          quick: true,
          effort: 1,
        })}
        onChoose={
          best && !stale
            ? () => void store.choose(answer, `Workers: ${workersOf(answer, best.workers)}`)
            : null
        }
      >
        {instance && result.schedule && (
          <Later>
            <Timeline
              label={`Timeline of ${instance.name || 'the plan'}`}
              instance={instance}
              schedule={result.schedule}
              usage={result.usage}
              bound={answer.bound}
              certified
              chain={[]}
              selection={store.selection.value}
              onSelect={selection => (store.selection.value = selection)}
              range={store.range.value}
              onRange={range => (store.range.value = range)}
            />
          </Later>
        )}
      </Molds>
    </div>
  )
}
