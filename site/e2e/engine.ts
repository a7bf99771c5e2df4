// The page's engine without the page: its worker, used from an image document of the
// same server, under the same policy.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { Methods, PlanOptions, Reply } from '../src/engine/api'
import type { Visitor } from './harness'

/** The figures of a plan, which the command line has as well. */
export interface Outcome {
  status: string
  primal: number | null
  dual: number | null
  certified: boolean
  bounds: Methods['plan']['result']['bounds']
  certificate: unknown
  schedule: unknown
}

declare global {
  interface Window {
    plan(options: PlanOptions): Promise<Outcome>
  }
}

const assets = fileURLToPath(new URL('../dist/assets', import.meta.url))

/** A document whose function plan asks an engine of its own. */
export async function bareEngine(visitor: Visitor): Promise<Page> {
  const page = await visitor.tab('favicon.svg')
  const files = readdirSync(assets)
  const [worker = '', core = '', data = '', clp = ''] = [
    /^worker-.*\.js$/,
    /^core-.*\.wasm$/,
    /^data-.*\.wasm$/,
    /^clp-.*\.wasm$/,
  ].map(name => {
    const file = files.find(f => name.test(f))
    if (!file) throw new Error(`site/dist/assets has no ${name}: run make site`)
    return `assets/${file}`
  })
  await page.evaluate(start, { worker, core, data, clp })
  return page
}

/** In the document. */
async function start(at: { worker: string; core: string; data: string; clp: string }): Promise<void> {
  const compile = (address: string) => WebAssembly.compileStreaming(fetch(address))
  const worker = new Worker(new URL(at.worker, location.href), { type: 'module' })
  const [core, data, clp] = await Promise.all([compile(at.core), compile(at.data), compile(at.clp)])
  const answers = new Map<number, (reply: Reply) => void>()
  const ready = new Promise<void>((resolve, reject) => {
    worker.onerror = event => reject(new Error(event.message))
    worker.onmessage = ({ data }) => {
      if ('ready' in data) resolve()
      else if (!('event' in data)) answers.get(data.id)?.(data)
    }
  })
  worker.postMessage({ core, data, clp })
  await ready
  let last = 0
  const call = async <M extends keyof Methods>(method: M, params: Methods[M]['params']) => {
    const id = ++last
    const reply = await new Promise<Reply>(resolve => {
      answers.set(id, resolve)
      worker.postMessage({ id, method, params })
    })
    answers.delete(id)
    if (reply.error) throw new Error(reply.error.message)
    return reply.data as Methods[M]['result']
  }
  window.plan = async options => {
    const { status, primal, dual, certified, bounds, certificate, schedule } = await call('plan', options)
    const { text } = options
    const file = schedule && (await call('export', { text, format: 'schedule', schedule }))
    return {
      status,
      primal,
      dual,
      certified,
      bounds,
      certificate: certificate && JSON.parse(certificate),
      schedule: file && JSON.parse(file.data),
    }
  }
}
