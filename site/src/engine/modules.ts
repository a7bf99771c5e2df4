// The WebAssembly modules, compiled once and shared by all workers.
import type { Boot } from './protocol'

// Glob, for a build may lack CLP: then the core plans without linear programs and says so. One
// whose core is not packed has no data of their own.
const urls = import.meta.glob<string>(
  ['../../../bin/wasm/{first,first-data,core,data}.wasm', '../../../bin/clp/clp.wasm'],
  { query: '?url', import: 'default', eager: true },
)
const url = (name: string) => Object.entries(urls).find(([path]) => path.endsWith(`/${name}.wasm`))?.[1]

const compile = async (address: string, onBytes: (bytes: number) => void): Promise<WebAssembly.Module> => {
  const response = await fetch(address).catch((reason: unknown) => {
    throw new Error(
      `the planner could not be loaded (${reason instanceof Error ? reason.message : reason}): is there a network, and does the server still run? Then reload the page`,
    )
  })
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`)
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        onBytes(chunk.length)
        out.enqueue(chunk)
      },
    }),
  )
  // Compiling while it comes needs the media type, which some static hosts do not send.
  return WebAssembly.compileStreaming(
    new Response(counted ?? null, { headers: { 'Content-Type': 'application/wasm' } }),
  )
}

/** The core with its data, and CLP where it is to have that. */
async function load(
  core: string,
  data: string,
  clp: string,
  onBytes: (bytes: number) => void,
): Promise<Boot> {
  const address = url(core)
  if (!address) throw new Error('this site was built without the planner: run make site')
  const [dataAddress, clpAddress] = [url(data), url(clp)]
  const [coreModule, dataModule, clpModule] = await Promise.all([
    compile(address, onBytes),
    dataAddress ? compile(dataAddress, onBytes) : null,
    // A damaged CLP must not take the planner with it.
    clpAddress ? compile(clpAddress, onBytes).catch(() => null) : null,
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
  const first = load('first', 'first-data', '', count)
  const rest = () => load('core', 'data', 'clp', count)
  return { first, whole: first.then(rest, rest) }
}
