// Measures the timeline's frames with 1,024 GPUs and 20,000 tasks in Chromium:
//
//   node workbench/frames.mjs
//
// A frame's cost is its script and the rasterising of the canvases, in software. Prints
// medians and 95th percentiles of the elapsed time, and of the processor time, which does not
// depend on other load; fails if a median of that is over 16 ms.

import { chromium } from 'playwright-core'
import { createServer } from 'vite'
import { chromiumOptions } from '../test/chromium.mjs'

const LIMIT = 16
const FRAMES = 180

if (!chromiumOptions.executablePath) {
  console.log('frames: skipped, there is no Chromium; set CHROMIUM to one, or apt-get install chromium')
  process.exit(0)
}
const server = await createServer({
  root: new URL('..', import.meta.url).pathname,
  server: { port: 0 },
  logLevel: 'error',
})
await server.listen()
const { port } = server.httpServer.address()
const browser = await chromium.launch(chromiumOptions)
let failed = false
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } })
  await page.goto(`http://localhost:${port}/workbench/index.html?plan=large`)
  await page.waitForFunction(() => window.bench && document.querySelector('.timeline-base')?.width > 300)
  const size = await page.evaluate(() => ({
    gpus: window.bench.instance.nodes.reduce((n, node) => n + node.gpus, 0),
    tasks: window.bench.result.schedule.tasks.job.length,
  }))
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  /** Processor time of the page's main thread, ms. */
  const cpu = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * metrics.find(m => m.name === 'TaskDuration').value
  }
  console.log(`${size.gpus} GPUs, ${size.tasks} tasks, ${FRAMES} frames each, ms a frame`)
  console.log('what                   cpu p50    p95   time p50    p95')
  for (const what of ['pan', 'zoom', 'scroll', 'select', 'low rows, pan']) {
    await page.evaluate(prepare, what)
    const spent = []
    for (let f = 0; f < FRAMES; f++) {
      const before = await cpu()
      await page.evaluate(step, { what, part: f / FRAMES })
      spent.push((await cpu()) - before)
    }
    const times = await page.evaluate(() => window.bench.frameTimes.map(t => t.all))
    const [own, all] = [quantiles(spent), quantiles(times)]
    const columns = [own.p50, own.p95, all.p50, all.p95].map(v => v.toFixed(1))
    console.log(
      what.padEnd(22),
      columns[0].padStart(7),
      columns[1].padStart(6),
      columns[2].padStart(10),
      columns[3].padStart(6),
    )
    if (own.p50 > LIMIT) failed = true
  }
} finally {
  await browser.close()
  await server.close()
}
if (failed) {
  console.log(`a median is over ${LIMIT} ms`)
  process.exitCode = 1
}

function quantiles(list) {
  const sorted = [...list].sort((a, b) => a - b)
  const at = q => sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)]
  return { p50: at(0.5), p95: at(0.95) }
}

/** In the page: everything in sight, nothing selected. */
async function prepare(what) {
  const { range, selection, frameTimes } = window.bench
  range.value = null
  selection.value = null
  if (what.startsWith('low rows'))
    document
      .querySelector('.timeline-overlay')
      .dispatchEvent(new WheelEvent('wheel', { deltaY: 2000, altKey: true, bubbles: true, cancelable: true }))
  for (let n = 0; n < 3; n++) await new Promise(resolve => requestAnimationFrame(resolve))
  frameTimes.length = 0
}

/** In the page: moves the view a little, and waits until it is drawn. */
async function step({ what, part }) {
  const { range, selection, result } = window.bench
  const end = result.primal
  if (what.endsWith('pan')) range.value = { from: 0.4 * end * part, to: (0.6 + 0.4 * part) * end }
  if (what === 'zoom') {
    const half = 0.5 * end * 0.5 ** (6 * Math.sin(Math.PI * part))
    range.value = { from: end / 2 - half, to: end / 2 + half }
  }
  if (what === 'scroll')
    document
      .querySelector('.timeline-overlay')
      .dispatchEvent(
        new WheelEvent('wheel', { deltaY: 18, clientX: 600, clientY: 300, bubbles: true, cancelable: true }),
      )
  if (what === 'select') selection.value = { job: Math.floor(180 * part), iteration: 1, gpu: null }
  for (let n = 0; n < 2; n++) await new Promise(resolve => requestAnimationFrame(resolve))
}
