// A tour of five steps that shows what SPB does, using the planner itself: each step makes a plan and
// shows the resulting numbers.
import { useEffect, useRef, useState } from 'preact/hooks'
import { first } from '../scenario/gallery/gallery'
import type { Session } from '../state/session'
import type { Store } from '../state/store'
import { Icon } from '../ui/icons'
import { objectiveValue, percent } from '../views/format'

interface Step {
  title: string
  /** value is the plan's value; empty while there is no plan. */
  text(value: string, store: Store): string
  /** Puts the page into the state that the step describes. */
  enter(store: Store): void
}

/** The first node of the scenario. */
const node = 'r0n0'

const steps: readonly Step[] = [
  {
    title: 'Jobs share the GPUs',
    text: value =>
      `Each row is a GPU; each bar is one iteration of a training job on it. Here all jobs run the backward pass through all their layers (full depth)${value && `: they end after ${value}`}.`,
    enter: store => {
      store.spb.value = false
    },
  },
  {
    title: 'Now with SPB',
    text: value =>
      `Partial backpropagation: some workers of a job run the backward pass through its last layers only. Their bars are hatched, and shorter. ${value && `The same jobs end after ${value}. `}The switch above shows the plan with SPB and without.`,
    enter: store => {
      store.spb.value = true
    },
  },
  {
    title: 'Gaps are filled',
    text: () =>
      'Where a worker ends sooner, another job runs. The selected job runs on several GPUs, and its workers synchronise at the end of each iteration. The red line is the critical chain: the tasks and synchronisations that determine when the plan ends.',
    enter: store => {
      store.selection.value = { job: 0, iteration: 2, gpu: null }
    },
  },
  {
    title: 'How good is it?',
    text: (value, store) => {
      const result = store.planning.view.value?.result
      const gap = result?.gap == null ? '' : ` The plan can be improved by at most ${percent(result.gap)}.`
      return `${value && `The plan takes ${value}. `}The dashed line is a bound, proven in exact arithmetic: no plan can end before it.${gap}`
    },
    enter: store => {
      store.selection.value = null
    },
  },
  {
    title: 'A GPU fails',
    text: value =>
      `One GPU of ${node} has failed, and the jobs ${value ? `have been replanned: the plan now takes ${value}` : 'are being replanned'}. Click the name of any GPU or link to do this, or to change its speed; undo reverts it.`,
    enter: store => void store.change([{ kind: 'fail_gpu', subject: node }], `A GPU of ${node} fails`),
  },
]

/** Opens the scenario of the tour and guides through it until the tour is closed. */
export function Tour({ session, onClose }: { session: Session; onClose: () => void }) {
  const { store } = session
  const [at, setAt] = useState(0)
  const next = useRef<HTMLButtonElement>(null)
  const go = (to: number) => {
    if (at === steps.length - 1 && to < at) store.text.undo()
    setAt(to)
    // Scrolls to the numbers, which each step is about.
    document.querySelector('.plan-view')?.scrollIntoView({ block: 'start' })
    // Going back restores what the earlier step had set.
    steps[to]!.enter(store)
  }
  useEffect(() => {
    if (store.text.text.peek() !== first) session.openNew(first)
    store.pane.value = 'plan'
    next.current?.focus()
    go(0)
    return () => {
      store.spb.value = true
    }
  }, [])
  const view = store.planning.view.value
  const busy = ['quick', 'full'].includes(store.planning.phase.value)
  const stale = view?.instance.digest !== store.target.value?.digest
  const value =
    view?.value == null || stale
      ? ''
      : objectiveValue(view.value, view.instance.objective, view.instance.tick_us)
  const step = steps[at]!
  const last = at === steps.length - 1
  return (
    <section class="tour" aria-label="Tour" aria-live="polite">
      <p>
        <strong>
          {at + 1} of {steps.length}: {step.title}
          {/\?$/.test(step.title) ? '' : '.'}
        </strong>{' '}
        {step.text(value, store)}
        {busy && <span class="muted"> Planning …</span>}
      </p>
      <div>
        <button type="button" class="button" disabled={at === 0} onClick={() => go(at - 1)}>
          Back
        </button>
        <button
          ref={next}
          type="button"
          class="button primary"
          onClick={() => (last ? onClose() : go(at + 1))}
        >
          {last ? 'Done' : 'Next'}
        </button>
        <button type="button" class="button quiet icon" aria-label="End the tour" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
    </section>
  )
}
