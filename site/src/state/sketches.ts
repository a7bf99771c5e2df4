// Quick plans of scenarios that are not open, to be drawn in small: by a small core of their own, so that
// the plan that shows does not wait, one after another, for they are looked at and not waited for. For those that it
// does not plan the engine is asked, which may take long: no other waits for them.
import type { PlanResult } from '../engine/api'
import type { Engine } from '../engine/client'
import type { CallOptions, Seat } from '../engine/seat'
import type { Sketched } from '../timeline/sketch'

type Made = Sketched | string | null

export class Sketches {
  private readonly known = new Map<string, Made>()
  private seat: Seat | null = null
  private last: Promise<unknown> = Promise.resolve()

  /** spare makes a core for them; the engine is asked for what that one does not plan. */
  constructor(
    private readonly spare: () => Seat,
    private readonly engine: Engine,
  ) {}

  /**
   * The quick plan of a scenario, or the picture of one that the core draws; null where it has none. onBetter
   * has what comes before: on a machine that is busy with a search a plan may take seconds.
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

  /** Gives the core back. */
  rest(): void {
    this.seat?.close()
    this.seat = null
  }

  /** By the small core, or what the engine has to be asked. */
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
