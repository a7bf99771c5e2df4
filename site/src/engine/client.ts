// The engine as the page sees it: two workers with the same core. The desk answers at once
// (compile, store, export, explain); the planner may be busy for long (plan, what_if, remedies, resilience).
// Until that core is loaded, a smaller core in a worker of its own makes the first plan.
import type {
  LongPlan,
  Method,
  Methods,
  ObjectiveName,
  PlanEvent,
  PlanOptions,
  PlanPoint,
  PlanResult,
  Ready,
  Schedule,
} from './api'
import { EngineError, type FailureCode } from './error'
import { modules } from './modules'
import type { Boot } from './protocol'
import { type CallOptions, Seat, type SeatEvents } from './seat'

export interface Engine {
  call<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<Methods[M]['result']>
}

const slow: ReadonlySet<Method> = new Set<Method>(['plan', 'what_if', 'remedies', 'resilience', 'mold'])

export class TwoSeats implements Engine {
  constructor(
    private readonly desk: Engine,
    private readonly planner: Engine,
  ) {}

  call<M extends Method>(method: M, params: Methods[M]['params'], options?: CallOptions) {
    return (slow.has(method) ? this.planner : this.desk).call(method, params, options)
  }
}

/** What the first core answers; it makes only quick plans. See NewFirst in wasm/api. */
const early: ReadonlySet<Method> = new Set<Method>(['compile', 'plan', 'explain'])

const helpless: ReadonlySet<FailureCode> = new Set<FailureCode>(['unknown_method', 'internal', 'crashed'])

/** Answers what a first plan needs by a core of its own, until the whole core is loaded. */
export class Growing implements Engine {
  private grown: Engine | null = null

  constructor(
    private readonly first: Promise<Engine>,
    private readonly whole: Promise<Engine>,
  ) {
    // Failures are reported to whoever waits.
    first.catch(() => {})
    whole.then(
      engine => {
        this.grown = engine
      },
      () => {},
    )
  }

  async call<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<Methods[M]['result']> {
    if (!this.grown && early.has(method)) {
      try {
        const first = await until(this.first, options?.signal)
        return await first.call(method, params, options)
      } catch (error) {
        // There is no first core, it lacks the method, or it failed: ask the whole core.
        if (error instanceof EngineError && !helpless.has(error.code)) throw error
      }
    }
    const engine = this.grown ?? (await until(this.whole, options?.signal))
    return engine.call(method, params, options)
  }
}

/** Waits until the promise settles or the caller aborts. */
function until<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new EngineError('stopped', 'stopped before it began'))
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop))
  })
}

/** An engine that is being loaded, so that everything else can load meanwhile. */
export interface Starting {
  /** Resolves with the first core; the engine is extended later. */
  engine: Promise<Engine>
  /** Resolves when the whole core is loaded. */
  ready: Promise<Ready>
  /** Called when a worker died and was replaced. */
  onCrash: (message: string) => void
  /** The bytes of the core loaded so far, unpacked, and a callback with that number. */
  bytes: number
  onBytes: (bytes: number) => void
  /** Another first core, for plans besides those of the page; the caller closes it. */
  spare(): Seat
}

/** Starts a worker with the first core, then both with the whole one. */
export function startEngine(): Starting {
  let onReady!: (ready: Ready) => void
  const ready = new Promise<Ready>(resolve => {
    onReady = resolve
  })
  const { first, whole } = modules(bytes => {
    starting.bytes = bytes
    starting.onBytes(bytes)
  })
  const seat = (boot: Promise<Boot>, events: SeatEvents = {}) =>
    new Seat(() => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
      // Its script loads meanwhile. Failures are reported to whoever waits for the engine.
      boot.then(
        modules => worker.postMessage(modules satisfies Boot),
        () => {},
      )
      return worker
    }, events)
  const firstSeat = seat(first)
  const grown = whole.then(() => {
    const events = { onReady, onCrash: (message: string) => starting.onCrash(message) }
    const planner = seat(whole, events)
    firstSeat.retire()
    return new TwoSeats(seat(whole, events), planner)
  })
  const growing = new Growing(
    first.then(() => firstSeat),
    grown,
  )
  // If the first core fails, so does the whole one.
  const engine = first.then(
    () => growing,
    () => grown.then(() => growing),
  )
  // It may fail before anybody listens.
  engine.catch(() => {})
  const starting: Starting = {
    engine,
    ready,
    onCrash: () => {},
    bytes: 0,
    onBytes: () => {},
    spare: () => seat(first),
  }
  return starting
}

/** What is known of a plan while it is being made: the best so far, task by task or in blocks, and its value. */
export interface Streamed {
  points: PlanPoint[]
  schedule: Schedule | null
  long: LongPlan | null
  primal: number | null
}

/**
 * Plans, and never loses the best plan: if the worker had to be ended, the answer is what it had streamed.
 * What it had not computed is taken from an earlier plan of the same instance.
 */
export async function plan(
  engine: Engine,
  options: PlanOptions,
  objective: ObjectiveName,
  how: { signal?: AbortSignal; onEvent?: (event: PlanEvent) => void; earlier?: PlanResult | null } = {},
): Promise<PlanResult> {
  const streamed: Streamed = { points: [], schedule: null, long: null, primal: null }
  const started = performance.now()
  try {
    const result = await engine.call('plan', options, {
      ...(how.signal && { signal: how.signal }),
      onEvent: event => {
        streamed.points.push(event.event)
        if (event.schedule || event.long) {
          streamed.schedule = event.schedule ?? null
          streamed.long = event.long ?? null
          streamed.primal = event.event.primal
        }
        how.onEvent?.(event)
      },
    })
    if (!result.stopped) return result
    const { baselines } = result
    return {
      ...result,
      baselines: how.earlier ? filled(baselines, how.earlier.baselines, objective) : unsearched(baselines),
    }
  } catch (error) {
    if (error instanceof EngineError && error.code === 'cancelled' && streamed.points.length > 0)
      return salvage(streamed, options, objective, performance.now() - started, how.earlier ?? null)
    throw error
  }
}

/** The baselines of a stopped run, replaced by those of an earlier run where they are better: their search was stopped, too. */
function filled(
  baselines: PlanResult['baselines'],
  earlier: PlanResult['baselines'],
  objective: ObjectiveName,
): PlanResult['baselines'] {
  const sign = isLower(objective) ? 1 : -1
  const known = Object.entries(baselines).filter(([name, { value }]) => {
    const before = earlier[name as keyof typeof earlier].value
    return value !== null && (before === null || sign * value <= sign * before)
  })
  return { ...earlier, ...Object.fromEntries(known) }
}

/** Drops baselines whose search was stopped: relative to poor baselines a plan would seem to gain too much. */
function unsearched(baselines: PlanResult['baselines']): PlanResult['baselines'] {
  const cut = { value: null, efficiency: null, reason: 'the run was stopped before this was computed' }
  return { ...baselines, exclusive: cut, interleaved_full: cut }
}

const isLower = (objective: ObjectiveName) => objective === 'makespan' || objective === 'weighted_completion'

/** The result of a run that was ended, from what it had streamed. Its bound was not verified again. */
export function salvage(
  streamed: Streamed,
  options: PlanOptions,
  objective: ObjectiveName,
  elapsed: number,
  earlier: PlanResult | null,
): PlanResult {
  const last = streamed.points.at(-1)
  const lower = isLower(objective)
  const tighter = (bound: number, than: number) => (lower ? bound > than : bound < than)
  // Only the first plans in blocks are streamed: if there is an earlier plan, it is better.
  const kept = !streamed.schedule && earlier?.long ? earlier : null
  const { primal, schedule, long } = kept ?? streamed
  let dual = last?.dual ?? null
  let certified = false
  if (earlier && earlier.dual !== null && (dual === null || !tighter(dual, earlier.dual))) {
    dual = earlier.dual
    certified = earlier.certified
  }
  return {
    ...(earlier ?? unknown),
    status: schedule || long ? 'feasible' : 'limit',
    objective,
    primal,
    dual,
    certified,
    gap: primal !== null && dual !== null ? Math.abs(primal - dual) / Math.max(Math.abs(primal), 1e-9) : null,
    // These belong to another schedule, if they exist.
    efficiency: kept?.efficiency ?? null,
    usage: kept?.usage ?? null,
    cost: kept?.cost ?? null,
    chain: kept?.chain ?? [],
    completion: kept?.completion ?? [],
    long,
    reasons: [],
    notes: [],
    series: streamed.points,
    schedule,
    seed: options.seed,
    quick: kept?.quick ?? options.quick ?? false,
    effort: options.effort ?? 0,
    elapsed_ms: elapsed,
    stopped: true,
  }
}

const unknown = {
  baselines: {
    queue: { value: null, efficiency: null, reason: '' },
    exclusive: { value: null, efficiency: null, reason: '' },
    interleaved_full: { value: null, efficiency: null, reason: '' },
    greedy: { value: null, efficiency: null, reason: '' },
  },
  bounds: [],
  binding_bound: null,
  binding: [],
  certificate: null,
}
