// Questions about the plan that shows: why a job ends when it does, and what a change of
// the cluster would do. Answers of an older plan are dropped.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { ChainLink, Schedule, WhatIfChange } from '../engine/api'
import type { Engine } from '../engine/client'
import type { WhatIfState } from '../views/props'
import type { PlanningOptions, PlanView } from './planning'

export class Inquiry {
  /** The job whose end is explained; null: the last to end. */
  readonly job = signal<number | null>(null)
  private readonly answered = signal<{ schedule: Schedule; job: number; chain: ChainLink[] } | null>(null)
  private readonly asked = signal<{ digest: string; states: WhatIfState[] }>({ digest: '', states: [] })

  constructor(
    private readonly engine: Engine,
    private readonly view: ReadonlySignal<PlanView | null>,
    private readonly options: () => PlanningOptions,
  ) {
    // A search has news many times a second, but seldom another schedule.
    const schedule = computed(() => (view.value?.result ? view.value.schedule : null))
    effect(() => {
      const of = schedule.value
      const job = this.job.value
      const now = view.peek()
      if (!of || !now || job === null) return
      if (job >= now.instance.jobs.length) {
        this.job.value = null
        return
      }
      const answer = (chain: ChainLink[]) => {
        this.answered.value = { schedule: of, job, chain }
      }
      void this.engine.call('explain', { text: now.text, schedule: of, job }).then(
        ({ chain }) => answer(chain),
        () => answer([]),
      )
    })
  }

  /** What ends the job, late to early; null while it is asked for. */
  readonly chain = computed<readonly ChainLink[] | null>(() => {
    const now = this.view.value
    if (this.job.value === null) return now?.result?.chain ?? null
    const answer = this.answered.value
    return answer && answer.schedule === now?.schedule && answer.job === this.job.value ? answer.chain : null
  })

  readonly whatIfs = computed<readonly WhatIfState[]>(() => {
    const { digest, states } = this.asked.value
    return digest === this.view.value?.instance.digest ? states : []
  })

  /** Asks what a change would do; its answer comes with whatIfs. */
  async ask(change: WhatIfChange): Promise<void> {
    const now = this.view.peek()
    if (!now) return
    const digest = now.instance.digest
    const put = (state: WhatIfState) => {
      const { digest: current, states } = this.asked.peek()
      const others = current === digest ? states.filter(other => !same(other.change, change)) : []
      if (current === digest || state.answer === null)
        this.asked.value = { digest, states: [...others, state] }
    }
    put({ change, answer: null, error: '' })
    try {
      // A quick plan before and after: both sides of the comparison are made alike.
      const answer = await this.engine.call('what_if', {
        text: now.text,
        ...this.options(),
        quick: true,
        change,
      })
      put({ change, answer, error: '' })
    } catch (error) {
      put({ change, answer: null, error: error instanceof Error ? error.message : String(error) })
    }
  }
}

const same = (a: WhatIfChange, b: WhatIfChange) =>
  a.kind === b.kind && a.subject === b.subject && a.factor === b.factor
