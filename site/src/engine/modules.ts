// The WebAssembly modules, compiled once and shared by all workers.
import type { Boot, Compilation, ToCompile } from './protocol'

// Glob, for a build may lack CLP: then the core plans without linear programs and says so. One
// whose core is not packed has no data of their own.
const urls = import.meta.glob<string>(
  ['../../../bin/wasm/{first,first-data,core,data}.wasm', '../../../bin/clp/clp.wasm'],
  { query: '?url', import: 'default', eager: true },
)
const url = (name: string) => Object.entries(urls).find(([path]) => path.endsWith(`/${name}.wasm`))?.[1]

/** Fetches a module; onBytes hears of each part that comes. */
async function bytesOf(
  address: string,
  onBytes: (bytes: number) => void,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(address).catch((reason: unknown) => {
    throw new Error(
      `the planner could not be loaded (${reason instanceof Error ? reason.message : reason}): is there a network, and does the server still run? Then reload the page`,
    )
  })
  if (!response.ok || !response.body) throw new Error(`${address}: ${response.status} ${response.statusText}`)
  return response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        onBytes(chunk.length)
        out.enqueue(chunk)
      },
    }),
  )
}

/** Compiles modules in a worker, until it is closed. */
class Compiler {
  private readonly worker = new Worker(new URL('./compiler.ts', import.meta.url), { type: 'module' })
  private readonly waiting = new Map<number, (answer: Compilation) => void>()
  private last = 0

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Compilation>) => this.waiting.get(data.id)?.(data)
    this.worker.onerror = event => {
      event.preventDefault()
      for (const [id, answer] of this.waiting) answer({ id, error: 'a part of the page could not be loaded' })
    }
  }

  async compile(bytes: ReadableStream<Uint8Array>): Promise<WebAssembly.Module> {
    const id = ++this.last
    const answer = await new Promise<Compilation>((resolve, reject) => {
      this.waiting.set(id, resolve)
      try {
        this.worker.postMessage({ id, bytes } satisfies ToCompile, [bytes])
      } catch {
        // Not every browser gives streams away.
        const here = new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } })
        WebAssembly.compileStreaming(here).then(module => resolve({ id, module }), reject)
      }
    })
    this.waiting.delete(id)
    if ('error' in answer) throw new Error(`the planner could not be loaded: ${answer.error}`)
    return answer.module
  }

  close(): void {
    this.worker.terminate()
  }
}

/** The core with its data, and CLP where it is to have that. */
async function load(
  core: string,
  data: string,
  clp: string,
  compile: (address: string) => Promise<WebAssembly.Module>,
): Promise<Boot> {
  const address = url(core)
  if (!address) throw new Error('this site was built without the planner: run make site')
  const [dataAddress, clpAddress] = [url(data), url(clp)]
  const [coreModule, dataModule, clpModule] = await Promise.all([
    compile(address),
    dataAddress ? compile(dataAddress) : null,
    // A damaged CLP must not take the planner with it.
    clpAddress ? compile(clpAddress).catch(() => null) : null,
  ])
  return { core: coreModule, data: dataModule, clp: clpModule }
}

export interface Modules {
  /** What makes a first plan. */
  first: Promise<Boot>
  /** Comes after it, so that the two do not share a slow network. */
  whole: Promise<Boot>
}

/** onBytes hears how many bytes, unpacked, have come of all modules so far. */
export function modules(onBytes: (bytes: number) => void): Modules {
  if (typeof WebAssembly === 'undefined') {
    const none = Promise.reject(
      new Error(
        'this browser has no WebAssembly, or is set to forbid it (as Lockdown Mode does on Apple devices, and some companies do): allow it for this page, or open the page in another browser',
      ),
    )
    return { first: none, whole: none }
  }
  let bytes = 0
  const count = (more: number) => {
    bytes += more
    onBytes(bytes)
  }
  const compiler = new Compiler()
  const compile = async (address: string) => compiler.compile(await bytesOf(address, count))
  const first = load('first', 'first-data', '', compile)
  const rest = () => load('core', 'data', 'clp', compile).finally(() => compiler.close())
  return { first, whole: first.then(rest, rest) }
}
