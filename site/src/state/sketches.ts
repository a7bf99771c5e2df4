// Quick plans of scenarios that are not open, for small pictures. A separate small core makes them one after
// another, so that the current plan does not wait for them. Those that it cannot plan are left to the engine,
// which may take long; the others do not wait for these.
import type { PlanResult } from '../engine/api'
import type { Engine } from '../engine/client'
import type { CallOptions, Seat } from '../engine/seat'
import type { Sketched } from '../timeline/sketch'

type Made = Sketched | string | null

export class Sketches {
  private readonly known = new Map<string, Made>()
  private seat: Seat | null = null
  private last: Promise<unknown> = Promise.resolve()

  /** spare creates a core for them; the engine plans what that core cannot. */
  constructor(
    private readonly spare: () => Seat,
    private readonly engine: Engine,
  ) {}

  /**
   * The quick plan of a scenario, or a picture drawn by the core; null if it has no plan. onBetter is called
   * with earlier plans: on a machine that is busy with a search a plan may take seconds.
   */
  async of(text: string, signal: AbortSignal, onBetter: (plan: Sketched) => void = () => {}): Promise<Made> {
    const known = this.known.get(text)
    if (known !== undefined) return known
    const made = this.last.then(() => this.make(text, signal, onBetter))
    this.last = made.catch(() => {})
    const quick = await made
    const plan = typeof quick === 'function' ? await quick() : quick
    this.known.set(text, plan)
    return plan
  }

  /** Releases the core. */
  rest(): void {
    this.seat?.close()
    this.seat = null
  }

  /** The plan by the small core, or a function that asks the engine. */
  private async make(
    text: string,
    signal: AbortSignal,
    onBetter: (plan: Sketched) => void,
  ): Promise<Made | (() => Promise<Made>)> {
    signal.throwIfAborted()
    this.seat ??= this.spare()
    const seat = this.seat
    const { instance, special } = await seat.call('compile', { text }, { signal })
    if (special === 'plan_bursts')
      return async () => (await this.engine.call(special, { text }, { signal })).jobs[0]?.picture ?? null
    if (special === 'mold')
      return async () => {
        const { spec } = await this.engine.call(special, { text, seed: 0, quick: true }, { signal })
        const plan = await this.make(JSON.stringify(spec), signal, onBetter)
        return typeof plan === 'function' ? plan() : plan
      }
    if (!instance) return null
    const options = { text, seed: 0, quick: true }
    const sketched = ({ schedule, long }: PlanResult): Made =>
      schedule || long ? { instance, schedule, long } : null
    const how: CallOptions = {
      signal,
      onEvent: ({ schedule = null, long = null }) => {
        if (schedule || long) onBetter({ instance, schedule, long })
      },
    }
    try {
      return sketched(await seat.call('plan', options, how))
    } catch (error) {
      if (signal.aborted) throw error
      return async () => sketched(await this.engine.call('plan', options, how))
    }
  }
}
