// The engine as the page sees it: two workers of one core. The desk answers at once
// (compile, store, export, explain); the planner may be busy for long (plan, bound, what_if).
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
import { type CallOptions, Seat } from './seat'

export interface Engine {
  call<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<Methods[M]['result']>
}

const slow: ReadonlySet<Method> = new Set<Method>(['plan', 'bound', 'what_if'])

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
}

/** Starts both workers. The planner comes first: the first plan is what a visitor waits for. */
export function startEngine(): Starting {
  let onReady: (ready: Ready) => void
  const ready = new Promise<Ready>(resolve => {
    onReady = resolve
  })
  const spawn = () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  const engine = modules().then(boot => {
    const onCrash = (message: string) => starting.onCrash(message)
    const planner = new Seat(spawn, boot, { onReady, onCrash })
    const desk = new Seat(spawn, boot, { onReady, onCrash })
    return new TwoSeats(desk, planner)
  })
  const starting: Starting = { engine, ready, onCrash: () => {} }
  return starting
}

/** What is known of a plan while it is made. */
export interface Streamed {
  points: PlanPoint[]
  schedule: Schedule | null
}

/**
 * Plans, and never throws the best plan away: where the worker had to be ended, the answer
 * is what it had streamed.
 */
export async function plan(
  engine: Engine,
  options: PlanOptions,
  objective: ObjectiveName,
  how: { signal?: AbortSignal; onEvent?: (event: PlanEvent) => void } = {},
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
      return salvage(streamed, options, objective, performance.now() - started)
    throw error
  }
}

/** The result of a run that was ended, from what it had streamed. Its bounds were not proven a second time. */
export function salvage(
  streamed: Streamed,
  options: PlanOptions,
  objective: ObjectiveName,
  elapsed: number,
): PlanResult {
  const last = streamed.points.at(-1)
  const primal = streamed.schedule ? (last?.primal ?? null) : null
  const dual = last?.dual ?? null
  return {
    status: streamed.schedule ? 'feasible' : 'limit',
    objective,
    primal,
    dual,
    certified: false,
    gap: primal !== null && dual !== null ? Math.abs(primal - dual) / Math.max(Math.abs(primal), 1e-9) : null,
    efficiency: null,
    baselines: {
      exclusive: { value: null, efficiency: null, reason: '' },
      interleaved_full: { value: null, efficiency: null, reason: '' },
      greedy: { value: null, efficiency: null, reason: '' },
    },
    bounds: [],
    binding: [],
    reasons: [],
    notes: ['stopped: the best plan so far; its bound is not proven anew'],
    series: streamed.points,
    schedule: streamed.schedule,
    usage: null,
    chain: [],
    completion: [],
    certificate: null,
    command: '',
    seed: options.seed,
    elapsed_ms: elapsed,
    stopped: true,
  }
}
