// Measures the timeline's frames with 1,024 GPUs and 20,000 tasks in Chromium:
//
//   node workbench/frames.mjs [path of chromium]
//
// A frame's cost is its script and the rasterising of the canvases, in software. Prints
// medians and 95th percentiles in milliseconds, and fails where a median is over 16.

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { createServer } from 'vite'

const LIMIT = 16
const FRAMES = 180

const executablePath = process.argv[2] ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(
    `frames: skipped, there is no ${executablePath}; name a Chromium as argument, or apt-get install chromium`,
  )
  process.exit(0)
}
const server = await createServer({
  root: new URL('..', import.meta.url).pathname,
  server: { port: 0 },
  logLevel: 'error',
})
await server.listen()
const { port } = server.httpServer.address()
const browser = await chromium.launch({
  executablePath,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
let failed = false
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } })
  await page.goto(`http://localhost:${port}/workbench/index.html?plan=large`)
  await page.waitForFunction(() => window.bench && document.querySelector('.timeline-base')?.width > 300)
  const size = await page.evaluate(() => ({
    gpus: window.bench.instance.nodes.reduce((n, node) => n + node.gpus, 0),
    tasks: window.bench.result.schedule.tasks.job.length,
  }))
  console.log(`${size.gpus} GPUs, ${size.tasks} tasks, ${FRAMES} frames each, ms a frame`)
  console.log('what                       p50    p95   script p50')
  for (const what of ['pan', 'zoom', 'scroll', 'select', 'low rows, pan']) {
    const times = await page.evaluate(measure, { what, frames: FRAMES })
    const cost = quantiles(times.map(t => t.all))
    const script = quantiles(times.map(t => t.script))
    console.log(
      `${what.padEnd(22)} ${cost.p50.toFixed(1).padStart(7)} ${cost.p95.toFixed(1).padStart(6)} ${script.p50.toFixed(1).padStart(12)}`,
    )
    if (cost.p50 > LIMIT) failed = true
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

/** In the page: moves what is seen a little in every frame. */
async function measure({ what, frames }) {
  const { range, selection, result, frameTimes } = window.bench
  const end = result.primal
  const box = document.querySelector('.timeline-overlay')
  const wheel = (deltaY, altKey = false) =>
    box.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY,
        altKey,
        bubbles: true,
        cancelable: true,
        clientX: 600,
        clientY: 300,
      }),
    )
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
  if (what.startsWith('low rows')) {
    wheel(2000, true)
    await frame()
  }
  const steps = {
    pan: f => {
      const from = (0.4 * end * f) / frames
      range.value = { from, to: from + 0.6 * end }
    },
    zoom: f => {
      const half = 0.5 * end * 0.5 ** (6 * Math.abs(Math.sin((Math.PI * f) / frames)))
      range.value = { from: end / 2 - half, to: end / 2 + half }
    },
    scroll: () => wheel(18),
    select: f => {
      selection.value = { job: f % 50, iteration: 1 + (f % 10), gpu: null }
    },
  }
  const step = steps[what.split(', ').at(-1)]
  range.value = null
  selection.value = null
  await frame()
  frameTimes.length = 0
  for (let f = 0; f < frames; f++) {
    step(f)
    await frame()
  }
  return [...frameTimes]
}
