// One worker and the requests that wait for it. A worker that crashes, or does not react to a
// cancellation within the grace period, is replaced; requests that had not begun are sent again.
import type { Method, Methods, PlanEvent, Ready, Reply } from './api'
import { EngineError } from './error'
import type { WorkerLike } from './protocol'

export interface CallOptions {
  signal?: AbortSignal
  onEvent?: (event: PlanEvent) => void
  /** How long a worker may take to react to a cancellation, in ms, if its answer is worth waiting for. */
  grace?: number
}

export interface SeatEvents {
  onReady?: (ready: Ready) => void
  onCrash?: (message: string) => void
}

interface Pending {
  method: Method
  params: unknown
  resolve: (data: unknown) => void
  reject: (reason: EngineError) => void
  onEvent: ((event: PlanEvent) => void) | undefined
  done: () => void
}

/** How long a worker may take to react to a cancellation, in ms. Stop should take at most 150 ms. */
export const grace = 100
/** Consecutive crashes, without a reply in between, after which a seat gives up. */
const patience = 3

export class Seat {
  private worker: WorkerLike | null = null
  private ready = false
  private retired = false
  private crashes = 0
  private nextID = 1
  private readonly pending = new Map<number, Pending>()
  /** Requests sent to the current worker: they are lost with it. */
  private readonly sent = new Set<number>()

  constructor(
    private readonly spawn: () => WorkerLike,
    private readonly events: SeatEvents = {},
  ) {
    this.start()
  }

  call<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    { signal, onEvent, grace: wait = grace }: CallOptions = {},
  ): Promise<Methods[M]['result']> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new EngineError('stopped', 'stopped before it began'))
      const id = this.nextID++
      const onAbort = () => this.cancel(id, wait)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.pending.set(id, {
        method,
        params,
        resolve: resolve as (data: unknown) => void,
        reject,
        onEvent,
        done: () => signal?.removeEventListener('abort', onAbort),
      })
      if (!this.worker) this.start()
      this.send(id)
    })
  }

  /** Ends the worker; waiting requests fail. */
  close(): void {
    this.drop()
    this.fail([...this.pending.keys()], new EngineError('stopped', 'the engine was closed'))
  }

  /** Ends the worker as soon as no request waits. */
  retire(): void {
    this.retired = true
    if (this.pending.size === 0) this.drop()
  }

  private start(): void {
    const worker = this.spawn()
    this.worker = worker
    this.ready = false
    worker.onmessage = event => this.receive(event.data as Ready | Reply | PlanEvent)
    worker.onerror = event => {
      event.preventDefault?.()
      this.crashed(event.message || 'the worker ended')
    }
  }

  private send(id: number): void {
    const request = this.pending.get(id)
    if (!this.ready || !request || !this.worker) return
    this.sent.add(id)
    this.worker.postMessage({ id, method: request.method, params: request.params })
  }

  private receive(message: Ready | Reply | PlanEvent): void {
    if ('ready' in message) {
      this.ready = true
      this.events.onReady?.(message)
      for (const id of this.pending.keys()) this.send(id)
      return
    }
    const request = this.pending.get(message.id)
    if (!request) return
    if ('event' in message) {
      request.onEvent?.(message)
      return
    }
    this.crashes = 0
    this.take(message.id)
    if (message.error) {
      const { code, message: text, problems } = message.error
      request.reject(new EngineError(code, text, problems))
    } else request.resolve(message.data)
  }

  private cancel(id: number, wait: number): void {
    if (!this.pending.has(id)) return
    if (!this.sent.has(id)) {
      this.fail([id], new EngineError('stopped', 'stopped before it began'))
      return
    }
    this.worker?.postMessage({ id, cancel: true })
    setTimeout(() => {
      if (!this.pending.has(id)) return
      this.drop()
      this.fail([id], new EngineError('cancelled', 'stopped'))
      this.restart()
    }, wait)
  }

  private crashed(message: string): void {
    this.crashes++
    const lost = [...this.sent]
    this.drop()
    this.fail(lost, new EngineError('crashed', message))
    this.events.onCrash?.(message)
    if (this.crashes < patience) this.restart()
    else this.fail([...this.pending.keys()], new EngineError('crashed', message))
  }

  /** Starts a new worker at once, so that it is ready for the next request; other requests are sent again. */
  private restart(): void {
    this.start()
  }

  private drop(): void {
    if (this.worker) {
      this.worker.onmessage = this.worker.onerror = null
      this.worker.terminate()
    }
    this.worker = null
    this.ready = false
    this.sent.clear()
  }

  private take(id: number): Pending | undefined {
    const request = this.pending.get(id)
    this.pending.delete(id)
    this.sent.delete(id)
    request?.done()
    if (this.retired && this.pending.size === 0) this.drop()
    return request
  }

  private fail(ids: number[], reason: EngineError): void {
    for (const id of ids) this.take(id)?.reject(reason)
  }
}
