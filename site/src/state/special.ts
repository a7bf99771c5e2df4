// Scenarios that are not planned by tasks: burst-parallel jobs, and moldable ones, whose workers are
// chosen first. Their plans take milliseconds, or quick plans of each choice.
import { signal } from '@preact/signals'
import type { BurstAnswer, MoldAnswer, Problem, Special } from '../engine/api'
import type { Engine } from '../engine/client'
import { EngineError } from '../engine/error'

export interface SpecialView {
  text: string
  kind: Special
  /** null while it is planned. */
  bursts: BurstAnswer | null
  mold: MoldAnswer | null
  /** Not empty where that failed; problems where the file is to blame. */
  error: string
  problems: Problem[]
}

export class SpecialPlans {
  /** null: the scenario is planned as others are. */
  readonly view = signal<SpecialView | null>(null)
  private run: AbortController | null = null

  constructor(
    private readonly engine: Engine,
    private readonly seed: () => number,
  ) {}

  close(): void {
    this.run?.abort()
    this.run = null
    this.view.value = null
  }

  async plan(text: string, kind: Special): Promise<void> {
    this.run?.abort()
    const run = new AbortController()
    this.run = run
    const before = this.view.peek()
    const put = (of: Partial<SpecialView>) => {
      if (this.run === run)
        this.view.value = { text, kind, bursts: null, mold: null, error: '', problems: [], ...of }
    }
    // A plan takes no longer than to be noticed: the last one stays until it comes.
    put(before?.kind === kind ? { bursts: before.bursts } : {})
    const how = { signal: run.signal }
    try {
      put(
        kind === 'plan_bursts'
          ? { bursts: await this.engine.call(kind, { text }, how) }
          : { mold: await this.engine.call(kind, { text, seed: this.seed(), quick: true }, how) },
      )
    } catch (error) {
      const problems = error instanceof EngineError ? (error.problems ?? []) : []
      put({ error: error instanceof Error ? error.message : String(error), problems })
    }
  }
}
