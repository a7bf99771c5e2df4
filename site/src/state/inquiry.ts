// Questions about the plan that shows: why a job ends when it does, what a change of the
// cluster would do, and what would mend a scenario that has no plan. Answers of an older plan are dropped.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { ChainLink, PlanResult, Remedy, Schedule, WhatIfChange } from '../engine/api'
import type { Engine } from '../engine/client'
import type { WhatIfState } from '../views/props'
import type { PlanningOptions, PlanView } from './planning'

export class Inquiry {
  /** The job whose end is explained; null: the last to end. */
  readonly job = signal<number | null>(null)
  private readonly answered = signal<{ schedule: Schedule; job: number | null; chain: ChainLink[] } | null>(
    null,
  )
  private readonly mended = signal<{ result: PlanResult; remedies: Remedy[] } | null>(null)
  private readonly asked = signal<{ digest: string; states: WhatIfState[] }>({ digest: '', states: [] })

  constructor(
    private readonly engine: Engine,
    private readonly view: ReadonlySignal<PlanView | null>,
    private readonly options: () => PlanningOptions,
  ) {
    effect(() => {
      const of = this.schedule.value
      const job = this.job.value
      const now = view.peek()
      if (!of || !now?.result || this.told.value) return
      if (job !== null && job >= now.instance.jobs.length) {
        this.job.value = null
        return
      }
      const answer = (chain: ChainLink[]) => {
        this.answered.value = { schedule: of, job, chain }
      }
      const question = { text: now.text, schedule: of, ...(job !== null && { job }) }
      void this.engine.call('explain', question).then(
        ({ chain }) => answer(chain),
        () => answer([]),
      )
    })
    let search: AbortController | null = null
    const hopeless = computed(() => {
      const result = this.view.value?.result
      return result?.status === 'infeasible' ? result : null
    })
    effect(() => {
      const result = hopeless.value
      search?.abort()
      const now = view.peek()
      if (!result || !now) return
      search = new AbortController()
      void this.engine.call('remedies', { text: now.text }, { signal: search.signal }).then(
        ({ remedies }) => {
          this.mended.value = { result, remedies }
        },
        () => {},
      )
    })
  }

  /** What would mend the scenario that shows; null while that is asked for, and where it has a plan. */
  readonly remedies = computed<readonly Remedy[] | null>(() => {
    const { result, remedies } = this.mended.value ?? {}
    return result && result === this.view.value?.result ? (remedies ?? null) : null
  })

  /** Of the last result: a search has news many times a second, and what it shows has no explanation yet. */
  private readonly schedule = computed(() => this.view.value?.result?.schedule ?? null)
  /** Whether the result tells by itself; one that was stopped does not, and nothing ends a plan that repeats. */
  private readonly told = computed(() => {
    const now = this.view.value
    return this.job.value === null && (now?.instance.periodic || (now?.result?.chain.length ?? 0) > 0)
  })

  /** What ends the job, late to early; null while it is asked for. */
  readonly chain = computed<readonly ChainLink[] | null>(() => {
    const result = this.view.value?.result
    if (!result?.schedule) return null
    if (this.told.value) return result.chain
    const answer = this.answered.value
    return answer?.schedule === result.schedule && answer.job === this.job.value ? answer.chain : null
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
