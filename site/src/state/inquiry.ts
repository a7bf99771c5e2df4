// Questions about the current plan: why a job ends when it does, what a change of the cluster would
// do, and what would make a plan possible if there is none. Answers about an older plan are dropped.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { ChainLink, PlanResult, Remedies, Schedule, WhatIfChange } from '../engine/api'
import type { Engine } from '../engine/client'
import type { WhatIfState } from '../views/props'
import type { PlanningOptions, PlanView } from './planning'

export class Inquiry {
  /** The job whose end is explained; null: the one that ends last. */
  readonly job = signal<number | null>(null)
  private readonly answered = signal<{ schedule: Schedule; job: number | null; chain: ChainLink[] } | null>(
    null,
  )
  private readonly mended = signal<{ result: PlanResult; remedies: Remedies } | null>(null)
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
        remedies => {
          this.mended.value = { result, remedies }
        },
        () => {},
      )
    })
  }

  /** Changes that would give the current scenario a plan; null while they are computed, and if it has a plan. */
  readonly remedies = computed<Remedies | null>(() => {
    const { result, remedies } = this.mended.value ?? {}
    return result && result === this.view.value?.result ? (remedies ?? null) : null
  })

  /** About the last result: a search reports many times a second, and its latest plan has no explanation yet. */
  private readonly schedule = computed(() => this.view.value?.result?.schedule ?? null)
  /** Whether the result contains the explanation; a stopped one does not, and a plan that repeats has no end. */
  private readonly told = computed(() => {
    const now = this.view.value
    return this.job.value === null && (now?.instance.periodic || (now?.result?.chain.length ?? 0) > 0)
  })

  /** The chain that ends the job, late to early; null while it is computed. */
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
      // Quick plans before and after: both sides of the comparison are made in the same way.
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
