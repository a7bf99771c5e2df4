// A worker that compiles WebAssembly while it comes, for it would take the page's own thread too long.
import type { Compilation, ToCompile } from './protocol'

self.addEventListener('message', ({ data: { id, bytes } }: MessageEvent<ToCompile>) => {
  const reply = (answer: Compilation) => self.postMessage(answer)
  // Compiling while it comes needs the media type, which some static hosts do not send.
  WebAssembly.compileStreaming(new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } })).then(
    module => reply({ id, module }),
    reason => reply({ id, error: String(reason) }),
  )
})
