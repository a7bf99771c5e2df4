// Workers and engines for tests, without WebAssembly.
import type { Compiled, LongPlan, Method, PlanEvent, PlanResult, Schedule } from '../src/engine/api'
import type { Engine } from '../src/engine/client'
import { EngineError } from '../src/engine/error'
import type { WorkerLike } from '../src/engine/protocol'
import type { CallOptions } from '../src/engine/seat'

/** A worker whose answers are given by the test. */
export class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null = null
  onerror: ((event: ErrorEvent) => void) | null = null
  terminated = false
  readonly sent: { id: number; method?: Method; params?: unknown; cancel?: true }[] = []

  postMessage(message: unknown): void {
    if (typeof message === 'object' && message !== null && 'id' in message) this.sent.push(message as never)
  }
  terminate(): void {
    this.terminated = true
  }
  say(message: unknown): void {
    this.onmessage?.({ data: message } as MessageEvent)
  }
  ready(): void {
    this.say({ ready: true, version: 'test', engine: 'none', engine_missing: '' })
  }
  crash(message: string): void {
    this.onerror?.({ message } as ErrorEvent)
  }
}

type Handler = (params: never, options: CallOptions) => unknown

/** An engine of handlers by method; a method without one is an error. */
export class FakeEngine implements Engine {
  readonly calls: { method: Method; params: unknown }[] = []
  constructor(private readonly handlers: Partial<Record<Method, Handler>>) {}

  async call(method: Method, params: unknown, options: CallOptions = {}): Promise<never> {
    this.calls.push({ method, params })
    const handler = this.handlers[method]
    if (!handler) throw new EngineError('unknown_method', method)
    return (await handler(params as never, options)) as never
  }
}

export const compiled = (digest: string, more: Partial<Compiled> = {}): Compiled => ({
  name: 'test',
  lesson: '',
  digest,
  tick_us: 1000,
  objective: 'makespan',
  periodic: false,
  queues: false,
  types: [],
  racks: [],
  nodes: [],
  links: [],
  latency: 1,
  jobs: [],
  ...more,
})

export const schedule = (): Schedule => ({
  period: 0,
  residency: [],
  tasks: {
    job: new Int32Array(),
    iteration: new Int32Array(),
    gpu: new Int32Array(),
    depth: new Int32Array(),
    start: new Float64Array(),
    end: new Float64Array(),
  },
  syncs: {
    job: new Int32Array(),
    iteration: new Int32Array(),
    rate: new Int32Array(),
    start: new Float64Array(),
    end: new Float64Array(),
  },
  spans: [],
})

export const longPlan = (): LongPlan => ({
  residency: [],
  admitted: new Float64Array(),
  start: new Float64Array(),
  end: new Float64Array(),
  slowdown: new Float64Array(),
  blocks: [],
  spans: [],
  why: [],
  chain: [],
})

const none = { value: null, efficiency: null, reason: '' }

export const planResult = (more: Partial<PlanResult> = {}): PlanResult => ({
  status: 'feasible',
  objective: 'makespan',
  primal: 100,
  dual: 90,
  certified: true,
  gap: 0.1,
  efficiency: 1,
  baselines: {
    queue: none,
    exclusive: none,
    interleaved_full: none,
    greedy: none,
  },
  bounds: [],
  binding_bound: null,
  binding: [],
  reasons: [],
  notes: [],
  series: [],
  long: null,
  schedule: schedule(),
  usage: null,
  cost: null,
  chain: [],
  completion: [],
  certificate: null,
  seed: 0,
  quick: false,
  effort: 1,
  elapsed_ms: 1,
  stopped: false,
  ...more,
})

export const event = (primal: number | null, dual: number | null, withSchedule = false): PlanEvent => ({
  id: 0,
  event: { elapsed_ms: 1, event: 'test', primal, dual, columns: 0, nodes: 0 },
  ...(withSchedule && { schedule: schedule() }),
})
