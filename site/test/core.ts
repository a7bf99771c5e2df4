// The real core in Node, for tests: the built bin/wasm, without CLP. It answers in this
// thread, as it does in a worker.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { Method, Methods, Reply } from '../src/engine/api'

const folder = resolve(import.meta.dirname, '../../bin/wasm')

export const hasCore = existsSync(`${folder}/core.wasm`)

interface Page {
  Go: new () => { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> }
  postMessage(message: unknown): void
  onmessage(event: { data: unknown }): void
}

/** Starts the core and returns a call into it. */
export async function startCore() {
  const page = globalThis as unknown as Page
  const waiting = new Map<number, (reply: Reply) => void>()
  createRequire(import.meta.url)(`${folder}/wasm_exec.js`)
  const go = new page.Go()
  const { instance } = await WebAssembly.instantiate(readFileSync(`${folder}/core.wasm`), go.importObject)
  if (existsSync(`${folder}/data.wasm`))
    await WebAssembly.instantiate(readFileSync(`${folder}/data.wasm`), { core: instance.exports })
  await new Promise<void>(resolve => {
    page.postMessage = message => {
      if (typeof message === 'object' && message !== null && 'ready' in message) return resolve()
      const reply = message as Reply
      if (!('event' in reply)) waiting.get(reply.id)?.(reply)
    }
    void go.run(instance)
  })
  let id = 0
  return <M extends Method>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result']> =>
    new Promise((resolve, reject) => {
      waiting.set(++id, reply =>
        reply.error ? reject(new Error(reply.error.message)) : resolve(reply.data as Methods[M]['result']),
      )
      page.onmessage({ data: { id, method, params } })
    })
}
