// A worker that holds the Go core and CLP. The page sends the compiled modules first
// (compiled once, shared by all workers); every later message belongs to the core, which
// sets globalThis.onmessage itself and answers with Ready.
import type { Boot } from './protocol'

// The Go runtime, which sets Go, and the bridge to CLP: glob, for a build may lack them and says so.
import.meta.glob('../../../bin/wasm/wasm_exec.js', { eager: true })
const [bridge] = Object.values(
  import.meta.glob<{ host(module: WebAssembly.Module): unknown }>('../../../solver/clp/wasm/host.mjs', {
    eager: true,
  }),
)

declare const Go: new () => {
  importObject: WebAssembly.Imports
  run(instance: WebAssembly.Instance): Promise<void>
}

async function boot({ core, data, clp }: Boot): Promise<void> {
  // Where the core looks for CLP.
  if (bridge && clp) Object.assign(globalThis, { jigsawCLP: bridge.host(clp) })
  const go = new Go()
  // At once: nothing else goes on in this thread, and each wait would be another task.
  const instance = new WebAssembly.Instance(core, go.importObject)
  if (data) new WebAssembly.Instance(data, { core: instance.exports })
  await go.run(instance)
  // The core never ends by itself: without it this worker must not look alive.
  throw new Error('the planner ended unexpectedly')
}

const fail = (reason: unknown) =>
  // Thrown outside of the promise, so that the page's onerror hears of it.
  setTimeout(() => {
    throw reason instanceof Error ? reason : new Error(String(reason))
  })

self.addEventListener('message', event => void boot(event.data as Boot).catch(fail), { once: true })
