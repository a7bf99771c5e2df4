// The current plan and everything about it.
import type { ComponentChildren } from 'preact'
import type { Compiled } from '../engine/api'
import type { Tab } from '../keep/snapshot'
import { canBeMoved } from '../state/hand'
import type { PlanView } from '../state/planning'
import type { Store } from '../state/store'
import { LARGE, Large } from '../timeline/Large'
import { Timeline } from '../timeline/Timeline'
import { Icon } from '../ui/icons'
import { Later } from '../ui/Later'
import { part } from '../ui/part'
import { Tabs } from '../ui/Tabs'
import { percent } from '../views/format'
import { Gain } from '../views/Gain'
import { Mend } from '../views/Mend'
import { Numbers } from '../views/Numbers'
import { Progress } from '../views/Progress'
import type { RunView } from '../views/props'
import { extentOf, hasPlan, withSchedule } from '../views/shown'
import { useOf } from '../views/use'
import { ByHand } from './ByHand'
import { Healing } from './Healing'
import { comingOf, pairOf, runOf } from './run'
import { SpecialPlan } from './SpecialPlan'

const Horizon = part(() => import('../horizon/Horizon').then(module => module.Horizon))
const Explain = part(() => import('../views/Explain').then(module => module.Explain))
const Failures = part(() => import('../views/Failures').then(module => module.Failures))
const Compare = part(() => import('../views/Compare').then(module => module.Compare))
const Spb = part(() => import('../views/Spb').then(module => module.Spb))

const tabs: readonly (readonly [Tab, string])[] = [
  ['explain', 'Explain'],
  ['failures', 'Failures'],
  ['progress', 'Progress'],
  ['compare', 'Compare'],
  ['depths', 'Depths'],
]

/** welcome is shown to newcomers, above the timeline. */
export function Results({ store, welcome }: { store: Store; welcome: ComponentChildren }) {
  const special = store.special.view.value
  if (special) return <SpecialPlan store={store} view={special} />
  const view = store.planning.view.value
  if (!view) return <Empty store={store} />
  const run = runOf(view, store)
  const { stale } = run
  const pair = pairOf(view, run, store)
  const infeasible = run.result?.status === 'infeasible'
  const other = store.counterpart(view.instance)
  // Then this plan is shown there, beside the other.
  const Plan = gpusOf(view.instance) >= LARGE ? Large : Timeline
  const hand = store.hand.plan.value
  const comparing =
    store.tab.value === 'compare' && !!view.result && hasPlan(view.result) && store.pinned.value !== null
  return (
    <div class={`plan-view${stale ? ' stale' : ''}`}>
      <Numbers
        instance={view.instance}
        run={run}
        mend={<Mend mend={store.inquiry.remedies.value} onMend={remedy => void store.mend(remedy)} />}
        gain={
          // There may be no plan at full depth, and there must be a way back.
          (!infeasible || !store.spb.value) && (
            <Gain
              pair={pair}
              spb={store.spb.value}
              onSpb={spb => {
                store.spb.value = spb
              }}
            />
          )
        }
      />
      {view.schedule && welcome}
      <Healing store={store} run={run} stale={stale !== ''} />
      <ByHand store={store} run={run} />
      {view.long && !comparing && (
        <Horizon
          label={`Timeline of ${view.instance.name || 'the plan'}`}
          instance={view.instance}
          plan={view.long}
          bound={view.instance.objective === 'makespan' ? run.dual : null}
          selection={store.selection.value}
          onSelect={selection => (store.selection.value = selection)}
          written={view.schedule !== null}
        />
      )}
      {view.schedule && !comparing && (
        <Later place={<div class="timeline-place" />}>
          <Plan
            label={`Timeline of ${view.instance.name || 'the plan'}`}
            instance={view.instance}
            schedule={hand?.schedule ?? view.schedule}
            usage={hand ? useOf(view.instance, hand.schedule) : run.usage}
            bound={run.dual}
            certified={run.certified}
            chain={!hand && view.result?.schedule === view.schedule ? (store.inquiry.chain.value ?? []) : []}
            chained={!view.instance.periodic}
            selection={store.selection.value}
            onSelect={selection => (store.selection.value = selection)}
            range={store.range.value}
            onRange={range => (store.range.value = range)}
            onChange={(changes, words) => void store.change(changes, words)}
            {...(hand && { onMove: (task, move) => store.hand.move(task, move) })}
            tools={
              canBeMoved(view.instance, view.schedule) && (
                <button
                  type="button"
                  class="button"
                  title="Move tasks yourself and try to beat this plan"
                  aria-pressed={hand !== null}
                  onClick={() =>
                    hand
                      ? store.hand.end()
                      : view.schedule && store.hand.begin(view.text, view.instance, view.schedule)
                  }
                >
                  By hand
                </button>
              )
            }
            // One axis for both, so that the gain is visible.
            {...(other?.schedule && { horizon: extentOf(other) })}
          />
        </Later>
      )}
      <Tabs
        label="About the plan"
        tabs={tabs}
        value={store.tab.value}
        onChange={tab => (store.tab.value = tab)}
      >
        <Later>
          <Panel store={store} view={view} run={run} />
        </Later>
      </Tabs>
    </div>
  )
}

const gpusOf = (instance: Compiled) => instance.nodes.reduce((sum, node) => sum + node.gpus, 0)

function Empty({ store }: { store: Store }) {
  const { problems } = store.reading.value
  const why =
    store.broken.value ||
    store.planning.failure.value ||
    (problems.length > 0 ? 'The scenario has problems: fix them to get a plan.' : '')
  return (
    <p class={`empty ${why ? 'alarm' : 'muted'}`} role={why ? 'alert' : undefined}>
      {why || ['The first plan is on its way.', comingOf(store) || loadingWords(store)].join(' ')}
    </p>
  )
}

/** How much of the planner has been loaded: first of what makes a first plan, then of all. */
function loadingWords({ ready, loaded: { value: bytes } }: Store): string {
  if (ready.value || bytes === 0) return ''
  const [what, all] = bytes < FIRST_BYTES ? ['the planner', FIRST_BYTES] : ['the whole planner', ALL_BYTES]
  return `Loading ${what}: ${percent(Math.min(bytes / all, 1), 0)}.`
}

function Panel({ store, view, run }: { store: Store; view: PlanView; run: RunView }) {
  const { result } = view
  const selection = store.selection.value
  const onSelect = (next: typeof selection) => {
    store.selection.value = next
  }
  switch (store.tab.value) {
    case 'progress':
      return <Progress run={run} />
    case 'explain':
      if (!result) return <p class="empty muted">The explanation comes with the first result.</p>
      return (
        <Explain
          instance={view.instance}
          result={result}
          newer={view.schedule !== result.schedule}
          job={store.inquiry.job.value}
          onJob={job => (store.inquiry.job.value = job)}
          chain={store.inquiry.chain.value}
          selection={selection}
          onSelect={onSelect}
          whatIfs={store.inquiry.whatIfs.value}
          onWhatIf={change => void store.inquiry.ask(change)}
          onTakeOver={(change, words) => void store.change([change], words)}
        />
      )
    case 'failures':
      return (
        <Failures
          instance={view.instance}
          infeasible={result?.status === 'infeasible'}
          state={store.failures.state.value}
          onLook={() => void store.failures.look()}
          onStop={() => store.failures.stop()}
          onFail={(change, words) => void store.change([change], words)}
        />
      )
    case 'compare': {
      const pinned = store.pinned.value
      return (
        <>
          <div class="tools">
            <button
              type="button"
              class="button"
              disabled={!result || !hasPlan(result)}
              onClick={() => store.pin()}
            >
              <Icon name="pin" /> {pinned ? 'Pin this plan instead' : 'Pin this plan as A'}
            </button>
            {pinned && (
              <button type="button" class="button quiet" onClick={() => store.unpin()}>
                Unpin
              </button>
            )}
          </div>
          {pinned && result && hasPlan(result) ? (
            <Compare
              a={{ label: 'A', instance: pinned.instance, result: pinned.result }}
              b={{
                label: 'B',
                instance: view.instance,
                result: withSchedule(view.instance, result, view.schedule, view.value),
              }}
              selection={selection}
              onSelect={onSelect}
              range={store.range.value}
              onRange={range => (store.range.value = range)}
            />
          ) : (
            <p class="empty muted">
              {store.pinning.value
                ? 'Plan A is being computed again.'
                : result && !hasPlan(result)
                  ? `There is no plan to ${pinned ? 'compare with plan A' : 'pin'}.`
                  : pinned
                    ? 'The comparison comes with the first result.'
                    : 'Pin the current plan, then change the scenario: both plans are shown here on one time axis.'}
            </p>
          )}
        </>
      )
    }
    case 'depths':
      return (
        <Spb
          instance={view.instance}
          job={Math.min(selection?.job ?? 0, view.instance.jobs.length - 1)}
          onJob={job => onSelect({ job, iteration: 0, gpu: null })}
          profiles={store.profiles.value}
          schedule={view.schedule}
        />
      )
  }
}
