// Measurements that a page records by itself, on its own clock, so that neither the script that
// drives the browser nor the connection to it is measured.
import type { CDPSession, Page } from 'playwright-core'

interface Notes {
  /** When the first worker answered, ms since the navigation. */
  ready: number
  /** Plans shown: when their frame was drawn, and whether it was the complete answer, with a bound. */
  plans: { at: number; bounded: boolean }[]
  /** When the last key was pressed. */
  key: number
  /** When a search ended, as seen by the page. */
  idle: number
}

declare global {
  interface Window {
    notes: Notes
  }
}

/** Runs in each page before its own scripts. */
export function note(): void {
  const notes: Notes = { ready: 0, plans: [], key: 0, idle: 0 }
  window.notes = notes
  const drawn = (then: (at: number) => void) =>
    requestAnimationFrame(() => setTimeout(() => then(performance.now())))
  window.Worker = class extends Worker {
    private readonly plans = new Set<number>()
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      this.addEventListener('message', ({ data }) => {
        if (data.ready) notes.ready ||= performance.now()
        else if (this.plans.has(data.id)) {
          const result = data.data
          if (result?.schedule || data.schedule)
            // A search that was ended by a change also answers, about the earlier scenario.
            drawn(at =>
              notes.plans.push({ at, bounded: typeof result?.dual === 'number' && !result.stopped }),
            )
        }
      })
    }
    override postMessage(message: unknown): void {
      const { id, method } = message as { id: number; method?: string }
      if (method === 'plan') this.plans.add(id)
      super.postMessage(message)
    }
  }
  addEventListener('keydown', event => (notes.key = event.timeStamp), { capture: true })
  let busy = false
  new MutationObserver(() => {
    const was = busy
    busy = document.querySelector('header .act')?.textContent?.trim() === 'Stop'
    if (was && !busy) notes.idle = performance.now()
  }).observe(document, { subtree: true, childList: true, characterData: true })
}

/** The longest task of the page's main thread while work runs: its time, and the processor's time in it, ms. */
export async function longestTask(page: Page, work: () => Promise<void>) {
  const session = await page.context().newCDPSession(page)
  await session.send('Tracing.start', {
    transferMode: 'ReturnAsStream',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] },
  })
  await work()
  const ended = new Promise<string>(resolve =>
    session.once('Tracing.tracingComplete', ({ stream }) => resolve(stream ?? '')),
  )
  await session.send('Tracing.end')
  const { traceEvents } = JSON.parse(await readStream(session, await ended)) as { traceEvents: TraceEvent[] }
  // The browser's own pages, such as the new tab, have their own processes.
  const { origin } = new URL(page.url())
  const own = new Set(traceEvents.filter(e => e.args.data?.url?.startsWith(origin)).map(e => e.pid))
  const main = new Set(
    traceEvents
      .filter(e => e.name === 'thread_name' && e.args.name === 'CrRendererMain' && own.has(e.pid))
      .map(thread),
  )
  const tasks = traceEvents.filter(e => e.name === 'RunTask' && main.has(thread(e)))
  const most = (of: (e: TraceEvent) => number | undefined) => Math.max(...tasks.map(e => of(e) ?? 0)) / 1000
  return { time: most(e => e.dur), processor: most(e => e.tdur) }
}

/** An event in Chromium's trace format; times in microseconds. */
interface TraceEvent {
  name: string
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args: { name?: string; data?: { url?: string } }
}

const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`

async function readStream(session: CDPSession, handle: string): Promise<string> {
  let text = ''
  for (;;) {
    const { data, eof } = await session.send('IO.read', { handle })
    text += data
    if (eof) return text
  }
}
