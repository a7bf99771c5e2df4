// A worker that holds the Go core and CLP. The page sends the compiled modules first
// (compiled once, shared by all workers); all later messages are for the core, which
// sets globalThis.onmessage itself and answers with Ready.
import type { Boot } from './protocol'

// The Go runtime, which sets Go, and the bridge to CLP: globs, because a build may lack them and then says so.
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
  // Synchronous: this thread does nothing else, and each wait would be another task.
  const instance = new WebAssembly.Instance(core, go.importObject)
  if (data) new WebAssembly.Instance(data, { core: instance.exports })
  await go.run(instance)
  // The core never ends by itself: without it this worker must not seem alive.
  throw new Error('the planner ended unexpectedly')
}

const fail = (reason: unknown) =>
  // Thrown outside the promise, so that it reaches the page's onerror.
  setTimeout(() => {
    throw reason instanceof Error ? reason : new Error(String(reason))
  })

self.addEventListener('message', event => void boot(event.data as Boot).catch(fail), { once: true })
