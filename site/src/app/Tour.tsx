// A tour of five steps that shows what SPB does, with the planner itself: each step plans, and
// tells the numbers that came out.
import { useEffect, useRef, useState } from 'preact/hooks'
import { first } from '../scenario/gallery/gallery'
import type { Session } from '../state/session'
import type { Store } from '../state/store'
import { Icon } from '../ui/icons'
import { objectiveValue, percent } from '../views/format'

interface Step {
  title: string
  /** value is that of the plan; empty while there is none. */
  text(value: string, store: Store): string
  /** Brings the page to where the step is told. */
  enter(store: Store): void
}

/** The first node of the scenario. */
const node = 'r0n0'

const steps: readonly Step[] = [
  {
    title: 'Jobs share the GPUs',
    text: value =>
      `Each row is a GPU, each bar one iteration of a training job there. All jobs go back through all their layers here, at full depth${value && `: they end after ${value}`}.`,
    enter: store => {
      store.spb.value = false
    },
  },
  {
    title: 'Now with SPB',
    text: value =>
      `Partial backpropagation: some workers of a job go back through its last layers only. Those bars are hatched, and shorter. ${value && `The same jobs end after ${value}. `}The switch above shows both.`,
    enter: store => {
      store.spb.value = true
    },
  },
  {
    title: 'Room is filled',
    text: () =>
      'Where a worker ends sooner, another job runs: the job that is picked out runs on several GPUs, whose workers meet at the end of each iteration. The red line is the critical chain, which ends last.',
    enter: store => {
      store.selection.value = { job: 0, iteration: 2, gpu: null }
    },
  },
  {
    title: 'How good is it?',
    text: (value, store) => {
      const result = store.planning.view.value?.result
      const gap = result?.gap == null ? '' : ` At most ${percent(result.gap)} is left to gain.`
      return `${value && `The plan takes ${value}. `}The dashed line is a bound, proven in exact arithmetic: no plan at all ends before it.${gap}`
    },
    enter: store => {
      store.selection.value = null
    },
  },
  {
    title: 'A GPU fails',
    text: value =>
      `One GPU of ${node} is gone, and the plan ${value ? `has healed: it takes ${value} now` : 'heals'}. A click on the name of any GPU or link does this, or makes it faster; undo takes it back.`,
    enter: store => void store.change([{ kind: 'fail_gpu', subject: node }], `A GPU of ${node} fails`),
  },
]

/** Opens the scenario that the tour is about, and tells about it until it is closed. */
export function Tour({ session, onClose }: { session: Session; onClose: () => void }) {
  const { store } = session
  const [at, setAt] = useState(0)
  const next = useRef<HTMLButtonElement>(null)
  const go = (to: number) => {
    if (at === steps.length - 1 && to < at) store.text.undo()
    setAt(to)
    // Where the numbers are, which each step is about.
    document.querySelector('.plan-view')?.scrollIntoView({ block: 'start' })
    // A step back shows what the step before it had changed.
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
        {busy && <span class="muted"> It is planned just now.</span>}
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
