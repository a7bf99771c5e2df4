// What passes between the page and a worker, beside the contract of api.ts.

/**
 * The first message to a worker: the compiled modules. data fills the memory of a core that was
 * packed, see scripts/pack-wasm; clp is null where the site was built without it.
 */
export interface Boot {
  core: WebAssembly.Module
  data: WebAssembly.Module | null
  clp: WebAssembly.Module | null
}

/** To the worker that compiles. */
export interface ToCompile {
  id: number
  address: string
}
/** And back: how many bytes, unpacked, have come of all modules so far, and what has become of one. */
export type Compilation =
  | { bytes: number }
  | { id: number; module: WebAssembly.Module }
  | { id: number; error: string }

/** What the client needs of a Worker; the tests have others. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void
  terminate(): void
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}
