// When to plan, and which plan is shown. Each change cancels the current run; then a quick plan
// is made, and then one of full effort, whose incumbents are shown as they are found.
// Whatever belongs to an older text is dropped.
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import type { Compiled, LongPlan, ObjectiveName, PlanPoint, PlanResult, Schedule } from '../engine/api'
import { type Engine, plan } from '../engine/client'
import { EngineError } from '../engine/error'
import { completed, hasPlan } from '../views/shown'

export type Phase = 'none' | 'quick' | 'full' | 'done' | 'stopped' | 'failed'

/** The plan that is shown, with the instance it was made for. */
export interface PlanView {
  text: string
  instance: Compiled
  points: PlanPoint[]
  /** The best schedule so far, then that of the result, and its value. */
  schedule: Schedule | null
  value: number | null
  /** A plan in blocks: the best so far, then that of the result. */
  long: LongPlan | null
  /** Points of the quick plan, then of the full one. */
  result: PlanResult | null
}

/** The progress of a run whose plan is not shown yet. */
export interface Coming {
  instance: Compiled
  point: PlanPoint
}

export interface PlanningOptions {
  seed: number
  effort: number
  /** The quick plan alone. */
  quick?: boolean
}

/** How many finished plans are remembered: returning to one takes no time. */
const remembered = 8
/** Plans with more tasks take too much memory to keep. */
const mostTasks = 100_000

/** Pause between the quick plan and the full one, in ms: while a slider moves, the planner stays free. */
export const rest = 250

export class Planning {
  private readonly viewSignal = signal<PlanView | null>(null)
  private readonly phaseSignal = signal<Phase>('none')
  private readonly failureSignal = signal('')
  private readonly comingSignal = signal<Coming | null>(null)
  private run: AbortController | null = null
  /** Plans by their inputs, the latest last, and whether they were finished. */
  private readonly known = new Map<string, { view: PlanView; finished: boolean }>()
  /** Identifies the plan that is being made, or was made last. */
  private key = ''

  constructor(
    private readonly engine: Engine,
    private readonly options: () => PlanningOptions,
  ) {}

  get view(): ReadonlySignal<PlanView | null> {
    return this.viewSignal
  }
  get phase(): ReadonlySignal<Phase> {
    return this.phaseSignal
  }
  /** null once the plan that is being made is shown. */
  get coming(): ReadonlySignal<Coming | null> {
    return this.comingSignal
  }
  /** Why there is no plan, if phase is failed. */
  get failure(): ReadonlySignal<string> {
    return this.failureSignal
  }

  /** The plan of an instance, finished or not, if it is remembered. */
  recall(instance: Compiled): PlanView | null {
    return this.known.get(this.keyOf(instance))?.view ?? null
  }

  /** The finished plan of an instance, or the quick one; it is made where it is not known, beside the one that shows. */
  async beside(
    text: string,
    instance: Compiled,
    signal: AbortSignal,
    { seed, effort, quick = false }: PlanningOptions = this.options(),
  ): Promise<PlanView> {
    const key = this.keyOf(instance, { seed, effort })
    const known = quick ? undefined : this.known.get(key)
    if (known?.finished) return known.view
    const options = { text, seed, effort, ...(quick && { quick }) }
    const result = await this.engine.call('plan', options, { signal })
    const { schedule, long, primal, series } = result
    const view = { text, instance, points: series, schedule, long, value: primal, result }
    if (!quick && !result.stopped) this.keep(key, view, true)
    return view
  }

  private keyOf({ digest }: Compiled, { seed, effort } = this.options()): string {
    return `${digest} ${seed} ${effort}`
  }

  /** Plans again. thorough: without the quick plan and the pause before the full one. */
  async start(text: string, instance: Compiled, thorough = false): Promise<void> {
    this.run?.abort()
    const run = new AbortController()
    this.run = run
    batch(() => {
      this.failureSignal.value = ''
      this.comingSignal.value = null
    })
    const key = this.keyOf(instance)
    if (this.key !== key) this.remember(false)
    this.key = key
    const known = this.known.get(key)
    if (known?.finished && !thorough) {
      batch(() => {
        this.viewSignal.value = { ...known.view, text, instance }
        this.end(run, 'done')
      })
      return
    }
    const fresh = () => this.run === run
    const options = { text, ...this.options() }
    const shown = this.viewSignal.peek()
    let earlier = shown?.instance.digest === instance.digest ? shown.result : null
    const make = async (quick: boolean) => {
      this.phaseSignal.value = quick ? 'quick' : 'full'
      const points: PlanPoint[] = []
      const made = await plan(this.engine, { ...options, quick }, instance.objective, {
        signal: run.signal,
        earlier,
        onEvent: event => {
          if (!fresh()) return
          points.push(event.event)
          this.show({ text, instance }, view => {
            const { schedule = null, long = null } = event
            // The first plans in blocks are worse than any result.
            const better =
              (schedule || (long && !view.result)) &&
              improves(instance.objective, event.event.primal, view.value)
            return {
              ...view,
              points: [...points],
              ...(better && { schedule, long, value: event.event.primal }),
            }
          })
        },
      })
      if (!fresh()) return
      const result = completed(instance, made)
      earlier = result
      // Stopped without a plan: the previous plan is better than none.
      if (result.stopped && !hasPlan(result) && hasPlan(this.viewSignal.peek())) return result
      this.show({ text, instance }, view => ({
        ...view,
        points: result.series,
        // A run that was stopped early may have found less than the one before.
        ...(result.stopped && hasPlan(view) && worse(instance.objective, result.primal, view.value)
          ? { result: view.result ?? result, points: (view.result ?? result).series }
          : { result, schedule: result.schedule, long: result.long, value: result.primal }),
      }))
      return result
    }
    try {
      if (!thorough) {
        const quick = await make(true)
        if (!fresh() || quick?.stopped) return this.end(run, 'stopped')
        if (quick && (quick.status === 'optimal' || quick.status === 'infeasible')) return this.finish(run)
        await new Promise(resolve => setTimeout(resolve, rest))
        if (!fresh()) return
        if (run.signal.aborted) return this.end(run, 'stopped')
      }
      const full = await make(false)
      if (full?.stopped) this.end(run, 'stopped')
      else this.finish(run)
    } catch (error) {
      if (!fresh()) return
      if (error instanceof EngineError && (error.code === 'cancelled' || error.code === 'stopped'))
        return this.end(run, 'stopped')
      batch(() => {
        this.failureSignal.value = error instanceof Error ? error.message : String(error)
        this.end(run, 'failed')
      })
    }
  }

  /** Ends the run with the best plan so far. */
  stop(): void {
    this.run?.abort()
  }

  /** Plans nothing and shows nothing. */
  clear(): void {
    this.run?.abort()
    this.run = null
    this.remember(false)
    batch(() => {
      this.viewSignal.value = null
      this.failureSignal.value = ''
      this.comingSignal.value = null
      this.phaseSignal.value = 'none'
    })
  }

  private finish(run: AbortController): void {
    if (this.run !== run) return
    this.remember(true)
    this.end(run, 'done')
  }

  /** Remembers the plan that is shown, if it is the one requested last. */
  private remember(finished: boolean): void {
    const view = this.viewSignal.peek()
    if (!view || this.keyOf(view.instance) !== this.key) return
    if (finished || !this.known.get(this.key)?.finished) this.keep(this.key, view, finished)
  }

  private keep(key: string, view: PlanView, finished: boolean): void {
    if ((view.schedule?.tasks.job.length ?? 0) > mostTasks) return
    this.known.delete(key)
    this.known.set(key, { view, finished })
    for (const oldest of this.known.keys()) if (this.known.size > remembered) this.known.delete(oldest)
  }

  private end(run: AbortController, phase: Phase): void {
    if (this.run !== run) return
    this.run = null
    batch(() => {
      this.comingSignal.value = null
      this.phaseSignal.value = phase
    })
  }

  private show(of: { text: string; instance: Compiled }, next: (view: PlanView) => PlanView): void {
    const old = this.viewSignal.peek()
    const same = old && old.instance.digest === of.instance.digest && old.text === of.text
    const view = next(
      same ? old : { ...of, points: [], schedule: null, long: null, value: null, result: null },
    )
    // The plan of the previous text stays until there is something to show in its place.
    const shows = same || hasPlan(view) || view.result !== null
    const point = view.points.at(-1)
    batch(() => {
      this.comingSignal.value = shows || !point ? null : { instance: of.instance, point }
      if (shows) this.viewSignal.value = view
    })
  }
}

/** Whether value is worse than another; nothing is worse than anything. */
const worse = (objective: ObjectiveName, value: number | null, than: number | null) =>
  than !== null && (value === null || improves(objective, than, value))

/** Whether value is better than the current one; null: there is none. */
function improves(objective: ObjectiveName, value: number | null, than: number | null): boolean {
  if (value === null || than === null) return than === null
  return objective === 'throughput' || objective === 'max_min_throughput' ? value > than : value < than
}
