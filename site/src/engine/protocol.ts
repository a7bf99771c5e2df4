// Messages between the page and a worker, besides the contract in api.ts.

/**
 * The first message to a worker: the compiled modules. data fills the memory of a packed core, see
 * scripts/pack-wasm; clp is null if the site was built without it.
 */
export interface Boot {
  core: WebAssembly.Module
  data: WebAssembly.Module | null
  clp: WebAssembly.Module | null
}

/** A message to the compiling worker. */
export interface ToCompile {
  id: number
  address: string
}
/** Its answers: the bytes, unpacked, loaded of all modules so far, and the outcome of one module. */
export type Compilation =
  | { bytes: number }
  | { id: number; module: WebAssembly.Module }
  | { id: number; error: string }

/** What the client needs of a Worker; tests use fakes. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void
  terminate(): void
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}
