// The WebAssembly modules, compiled once and shared by all workers.
import type { Boot } from './protocol'

// Glob, for a build may lack CLP: then the core plans without linear programs and says so. One
// whose core is not packed has no data of their own.
const urls = import.meta.glob<string>(['../../../bin/wasm/{core,data}.wasm', '../../../bin/clp/clp.wasm'], {
  query: '?url',
  import: 'default',
  eager: true,
})
const url = (name: string) => Object.entries(urls).find(([path]) => path.endsWith(name))?.[1]

const compile = async (address: string): Promise<WebAssembly.Module> => {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`)
  // Streaming needs the right media type, which some static hosts do not send.
  if (response.headers.get('Content-Type')?.startsWith('application/wasm'))
    return WebAssembly.compileStreaming(response)
  return WebAssembly.compile(await response.arrayBuffer())
}

export async function modules(): Promise<Boot> {
  const core = url('core.wasm')
  if (!core) throw new Error('this site was built without the planner: run make site')
  const [data, clp] = [url('data.wasm'), url('clp.wasm')]
  const [coreModule, dataModule, clpModule] = await Promise.all([
    compile(core),
    data ? compile(data) : null,
    // A damaged CLP must not take the planner with it.
    clp ? compile(clp).catch(() => null) : null,
  ])
  return { core: coreModule, data: dataModule, clp: clpModule }
}
