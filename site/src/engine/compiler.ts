// A worker that fetches WebAssembly and compiles it while it loads: either would block the page's own thread too long.
import type { Compilation, ToCompile } from './protocol'

/** Chunks arrive by the dozen: progress is reported to the page no more often than it can be shown, ms. */
const telling = 100

let told = 0
let bytes = 0

self.addEventListener('message', ({ data: { id, address } }: MessageEvent<ToCompile>) => {
  const reply = (answer: Compilation) => self.postMessage(answer)
  const count = (more: number) => {
    bytes += more
    const now = performance.now()
    if (now - told < telling) return
    told = now
    reply({ bytes })
  }
  compile(address, count).then(
    module => reply({ id, module }),
    reason => reply({ id, error: reason instanceof Error ? reason.message : String(reason) }),
  )
})

async function compile(address: string, count: (bytes: number) => void): Promise<WebAssembly.Module> {
  const response = await fetch(address).catch((reason: unknown) => {
    throw new Error(
      `${reason instanceof Error ? reason.message : reason}: check that there is a network and that the server is running, then reload the page`,
    )
  })
  if (!response.ok || !response.body) throw new Error(`${address}: ${response.status} ${response.statusText}`)
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        count(chunk.length)
        out.enqueue(chunk)
      },
    }),
  )
  // Compiling while loading needs the media type, which some static hosts do not send.
  const typed = new Response(counted, { headers: { 'Content-Type': 'application/wasm' } })
  return WebAssembly.compileStreaming(typed)
}
