// The effect of the failure of each link and node on the plan of the current scenario. It is computed
// on request; the results stay with their scenario, so that they are shown again after a failure is
// undone.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Progress, ResilienceAnswer } from '../engine/api'
import type { Engine } from '../engine/client'
import type { FailuresState } from '../views/props'
import type { PlanView } from './planning'

const nothing: FailuresState = { progress: null, answer: null, error: '' }

export class Failures {
  private readonly looked = signal<FailuresState & { digest: string }>({ ...nothing, digest: '' })
  private run: AbortController | null = null

  constructor(
    private readonly engine: Engine,
    private readonly view: ReadonlySignal<PlanView | null>,
    private readonly seed: () => number,
  ) {
    // Nobody waits for the answer for a scenario that was left.
    effect(() => {
      if (this.digest.value !== this.looked.peek().digest) this.stop()
    })
  }

  private readonly digest = computed(() => this.view.value?.instance.digest ?? '')

  readonly state = computed<FailuresState>(() =>
    this.looked.value.digest === this.digest.value ? this.looked.value : nothing,
  )

  stop(): void {
    this.run?.abort()
  }

  /** Examines the failure of every link and node. */
  async look(): Promise<void> {
    const now = this.view.peek()
    if (!now) return
    this.stop()
    const run = new AbortController()
    this.run = run
    const digest = now.instance.digest
    const put = (progress: Progress | null, answer: ResilienceAnswer | null = null, error = '') => {
      if (this.run === run) this.looked.value = { digest, progress, answer, error }
    }
    put({ done: 0, of: 0 })
    try {
      const answer = await this.engine.call(
        'resilience',
        { text: now.text, seed: this.seed() },
        // Results come only with the answer.
        { signal: run.signal, grace: 10_000, onEvent: ({ progress }) => progress && put(progress) },
      )
      put(null, answer)
    } catch (error) {
      put(null, null, run.signal.aborted ? '' : error instanceof Error ? error.message : String(error))
    }
  }
}
