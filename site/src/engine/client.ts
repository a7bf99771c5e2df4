// The engine as the page sees it: two workers of one core. The desk answers at once
// (compile, store, export, explain); the planner may be busy for long (plan, bound, what_if, remedies).
import type {
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
import { EngineError } from './error'
import { modules } from './modules'
import type { Boot } from './protocol'
import { type CallOptions, Seat } from './seat'

export interface Engine {
  call<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<Methods[M]['result']>
}

const slow: ReadonlySet<Method> = new Set<Method>(['plan', 'bound', 'what_if', 'remedies'])

export class TwoSeats implements Engine {
  constructor(
    private readonly desk: Engine,
    private readonly planner: Engine,
  ) {}

  call<M extends Method>(method: M, params: Methods[M]['params'], options?: CallOptions) {
    return (slow.has(method) ? this.planner : this.desk).call(method, params, options)
  }
}

/** An engine that is on its way, so that all else may load meanwhile. */
export interface Starting {
  engine: Promise<Engine>
  /** Of the first worker. */
  ready: Promise<Ready>
  /** Called when a worker died and was replaced. */
  onCrash: (message: string) => void
  /** Called with how many bytes of the core have come so far, unpacked. */
  onBytes: (bytes: number) => void
}

/** Starts both workers. The planner comes first: the first plan is what a visitor waits for. */
export function startEngine(): Starting {
  let onReady!: (ready: Ready) => void
  const ready = new Promise<Ready>(resolve => {
    onReady = resolve
  })
  const onCrash = (message: string) => starting.onCrash(message)
  const compiled = modules(bytes => starting.onBytes(bytes))
  const spawn = () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    // The first workers' scripts load meanwhile. Whoever waits for the engine hears of a failure.
    compiled.then(
      boot => worker.postMessage(boot satisfies Boot),
      () => {},
    )
    return worker
  }
  const planner = new Seat(spawn, { onReady, onCrash })
  const desk = new Seat(spawn, { onReady, onCrash })
  const engine = compiled.then(() => new TwoSeats(desk, planner))
  const starting: Starting = { engine, ready, onCrash: () => {}, onBytes: () => {} }
  return starting
}

/** What is known of a plan while it is made. */
export interface Streamed {
  points: PlanPoint[]
  schedule: Schedule | null
}

/**
 * Plans, and never throws the best plan away: where the worker had to be ended, the answer
 * is what it had streamed, beside what an earlier plan of the same instance knew.
 */
export async function plan(
  engine: Engine,
  options: PlanOptions,
  objective: ObjectiveName,
  how: { signal?: AbortSignal; onEvent?: (event: PlanEvent) => void; earlier?: PlanResult | null } = {},
): Promise<PlanResult> {
  const streamed: Streamed = { points: [], schedule: null }
  const started = performance.now()
  try {
    return await engine.call('plan', options, {
      ...(how.signal && { signal: how.signal }),
      onEvent: event => {
        streamed.points.push(event.event)
        if (event.schedule) streamed.schedule = event.schedule
        how.onEvent?.(event)
      },
    })
  } catch (error) {
    if (error instanceof EngineError && error.code === 'cancelled' && streamed.points.length > 0)
      return salvage(streamed, options, objective, performance.now() - started, how.earlier ?? null)
    throw error
  }
}

/** The result of a run that was ended, from what it had streamed. A bound of its own was not proven anew. */
export function salvage(
  streamed: Streamed,
  options: PlanOptions,
  objective: ObjectiveName,
  elapsed: number,
  earlier: PlanResult | null,
): PlanResult {
  const last = streamed.points.at(-1)
  // Plans in blocks come with results alone: the earlier one stands.
  const kept = !streamed.schedule && earlier?.long ? earlier : null
  const primal = streamed.schedule ? (last?.primal ?? null) : (kept?.primal ?? null)
  const lower = objective === 'makespan' || objective === 'weighted_completion'
  const tighter = (bound: number, than: number) => (lower ? bound > than : bound < than)
  let dual = last?.dual ?? null
  let certified = false
  if (earlier && earlier.dual !== null && (dual === null || !tighter(dual, earlier.dual))) {
    dual = earlier.dual
    certified = earlier.certified
  }
  return {
    ...(earlier ?? unknown),
    status: streamed.schedule || kept ? 'feasible' : 'limit',
    objective,
    primal,
    dual,
    certified,
    gap: primal !== null && dual !== null ? Math.abs(primal - dual) / Math.max(Math.abs(primal), 1e-9) : null,
    // Of another schedule, if at all.
    efficiency: kept?.efficiency ?? null,
    usage: kept?.usage ?? null,
    chain: kept?.chain ?? [],
    completion: kept?.completion ?? [],
    long: kept?.long ?? null,
    reasons: [],
    notes: [],
    series: streamed.points,
    schedule: streamed.schedule ?? kept?.schedule ?? null,
    seed: options.seed,
    elapsed_ms: elapsed,
    stopped: true,
  }
}

const unknown = {
  baselines: {
    queue: { value: null, efficiency: null, reason: '' },
    exclusive: { value: null, efficiency: null, reason: '' },
    interleaved_full: { value: null, efficiency: null, reason: '' },
    fewer_exclusive: { value: null, efficiency: null, reason: '' },
    fewer_interleaved: { value: null, efficiency: null, reason: '' },
    greedy: { value: null, efficiency: null, reason: '' },
  },
  bounds: [],
  binding_bound: null,
  binding: [],
  certificate: null,
  command: '',
}
