// The WebAssembly modules, compiled once and shared by all workers.
import type { Boot, Compilation, ToCompile } from './protocol'

// A glob, because a build may lack CLP: then the core plans without linear programs and says so. In a
// build whose core is not packed there are no data files.
const urls = import.meta.glob<string>(
  ['../../../bin/wasm/{first,first-data,core,data}.wasm', '../../../bin/clp/clp.wasm'],
  { query: '?url', import: 'default', eager: true },
)
const url = (name: string) => Object.entries(urls).find(([path]) => path.endsWith(`/${name}.wasm`))?.[1]

/** Fetches and compiles modules in a worker, until it is closed; onBytes is called with the bytes loaded of all modules. */
class Compiler {
  private readonly worker = new Worker(new URL('./compiler.ts', import.meta.url), { type: 'module' })
  private readonly waiting = new Map<
    number,
    { resolve: (module: WebAssembly.Module) => void; reject: (reason: Error) => void }
  >()
  private last = 0
  /** Why nothing is compiled any more. */
  private broken: Error | null = null

  constructor(onBytes: (bytes: number) => void) {
    this.worker.onmessage = ({ data }: MessageEvent<Compilation>) => {
      if ('bytes' in data) return onBytes(data.bytes)
      const waiting = this.waiting.get(data.id)
      this.waiting.delete(data.id)
      if ('module' in data) waiting?.resolve(data.module)
      else waiting?.reject(missing(data.error))
    }
    this.worker.onerror = event => {
      event.preventDefault()
      this.broken = missing('a part of the page did not load')
      for (const { reject } of this.waiting.values()) reject(this.broken)
    }
  }

  compile(address: string): Promise<WebAssembly.Module> {
    return new Promise((resolve, reject) => {
      if (this.broken) return reject(this.broken)
      const id = ++this.last
      this.waiting.set(id, { resolve, reject })
      this.worker.postMessage({ id, address: new URL(address, location.href).href } satisfies ToCompile)
    })
  }

  close(): void {
    this.worker.terminate()
  }
}

const missing = (why: string) => new Error(`the planner could not be loaded: ${why}`)

/** The core with its data, and with CLP if asked for. */
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
    // A damaged CLP must not disable the planner.
    clpAddress ? compile(clpAddress).catch(() => null) : null,
  ])
  return { core: coreModule, data: dataModule, clp: clpModule }
}

export interface Modules {
  /** The core that makes a first plan. */
  first: Promise<Boot>
  /** Loaded after the first core, so that the two do not share a slow network. */
  whole: Promise<Boot>
}

/** onBytes is called with the bytes, unpacked, loaded of all modules so far. */
export function modules(onBytes: (bytes: number) => void): Modules {
  if (typeof WebAssembly === 'undefined') {
    const none = Promise.reject(
      new Error(
        'this browser has no WebAssembly, or is set to forbid it (as Lockdown Mode does on Apple devices, and some companies do): allow it for this page, or open the page in another browser',
      ),
    )
    return { first: none, whole: none }
  }
  const compiler = new Compiler(onBytes)
  const compile = (address: string) => compiler.compile(address)
  const first = load('first', 'first-data', '', compile)
  const rest = () => load('core', 'data', 'clp', compile).finally(() => compiler.close())
  return { first, whole: first.then(rest, rest) }
}
