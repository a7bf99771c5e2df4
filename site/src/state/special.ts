// Scenarios that are not planned task by task: burst-parallel jobs, and moldable jobs, whose numbers of
// workers are chosen first. Their plans take milliseconds, or a quick plan for each choice.
import { signal } from '@preact/signals'
import type { BurstAnswer, Compiled, MoldAnswer, PlanResult, Problem, Special } from '../engine/api'
import type { Engine } from '../engine/client'
import { EngineError } from '../engine/error'
import { keepColours } from './identity'

/** The chosen numbers of workers, and the quick plan with them. */
export interface Molded {
  answer: MoldAnswer
  instance: Compiled | null
  result: PlanResult
}

export interface SpecialView {
  text: string
  kind: Special
  /** null while it is being planned, or if that was stopped. */
  bursts: BurstAnswer | null
  mold: Molded | null
  /** Not empty if that failed; problems if the cause is in the file. */
  error: string
  problems: Problem[]
}

export class SpecialPlans {
  /** null: the scenario is planned task by task. */
  readonly view = signal<SpecialView | null>(null)
  /** Whether one is being made. */
  readonly busy = signal(false)
  private run: AbortController | null = null

  constructor(
    private readonly engine: Engine,
    private readonly seed: () => number,
  ) {}

  close(): void {
    this.run?.abort()
    this.run = null
    this.busy.value = false
    this.view.value = null
  }

  /** The last plan of its kind stays, if there is one. */
  stop(): void {
    this.run?.abort()
  }

  async plan(text: string, kind: Special): Promise<void> {
    this.run?.abort()
    const run = new AbortController()
    this.run = run
    this.busy.value = true
    const before = this.view.peek()
    const put = (of: Partial<SpecialView>) => {
      if (this.run === run)
        this.view.value = { text, kind, bursts: null, mold: null, error: '', problems: [], ...of }
    }
    // A plan takes only a moment: the last one stays until it is ready.
    put(before?.kind === kind ? { text: before.text, bursts: before.bursts, mold: before.mold } : {})
    const how = { signal: run.signal }
    try {
      put(
        kind === 'plan_bursts'
          ? { bursts: await this.engine.call(kind, { text }, how) }
          : { mold: await this.choose(text, how) },
      )
    } catch (error) {
      if (run.signal.aborted) return put(before?.kind === kind ? before : {})
      const problems = error instanceof EngineError ? (error.problems ?? []) : []
      put({ error: error instanceof Error ? error.message : String(error), problems })
    } finally {
      if (this.run === run) this.busy.value = false
    }
  }

  private async choose(text: string, how: { signal: AbortSignal }): Promise<Molded> {
    const options = { seed: this.seed(), quick: true }
    const answer = await this.engine.call('mold', { text, ...options }, how)
    const chosen = JSON.stringify(answer.spec)
    const [{ instance }, result] = await Promise.all([
      this.engine.call('compile', { text: chosen }, how),
      this.engine.call('plan', { text: chosen, ...options }, how),
    ])
    if (instance) keepColours(this.view.peek()?.mold?.instance ?? null, instance)
    return { answer, instance, result }
  }
}
