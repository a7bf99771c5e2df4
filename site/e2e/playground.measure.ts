// Measures the page against its goals, in Chromium, and rewrites docs/playground.md.
// Medians of ten; nothing else should run on the machine.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { chromiumOptions } from '../test/chromium.mjs'
import { home, linkTo, patience, planned, root, run, settled, stop, useServer } from './harness'
import { longestTask, note } from './probe'

const times = 10
const visits = 5
const rows: [what: string, measured: string, goal: string, met: boolean | null][] = []

useServer()

// A returning visitor: a profile on disk, with the browser's caches.
let context: BrowserContext
const profile = mkdtempSync(join(tmpdir(), 'jigsaw-profile-'))
beforeAll(async () => {
  context = await chromium.launchPersistentContext(profile, {
    ...chromiumOptions,
    viewport: { width: 1440, height: 900 },
  })
  context.setDefaultTimeout(patience)
  await context.addInitScript(note)
  for (let i = 0; i < 3; i++) {
    const page = await open()
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.close()
  }
}, 300_000)
afterAll(async () => {
  await context.close()
  rmSync(profile, { recursive: true })
})

async function open(path = '', until = settled): Promise<Page> {
  const page = await context.newPage()
  await page.goto(home + path)
  await until(page)
  return page
}

test('start', async () => {
  const ready: number[] = []
  const first: number[] = []
  for (let i = 0; i < times; i++) {
    const page = await open()
    const { ready: at, plans } = await page.evaluate(() => window.notes)
    ready.push(at)
    first.push((plans[0]?.at ?? Number.NaN) - at)
    await page.close()
  }
  goal('engine ready, from the start of the navigation', median(ready), 250)
  goal('first plan of the default scenario shown, from then', median(first), 500)
})

// A newcomer on a slow network: nothing is stored, 1.6 Mbit/s come, and each answer takes 150 ms longer.
test('first visit', async () => {
  const first: number[] = []
  const longest: number[] = []
  const busy: number[] = []
  const browser = await chromium.launch(chromiumOptions)
  for (let i = 0; i < visits; i++) {
    const newcomer = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    newcomer.setDefaultTimeout(patience)
    await newcomer.addInitScript(note)
    const page = await newcomer.newPage()
    const session = await newcomer.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 1.6e6 / 8,
      uploadThroughput: 750e3 / 8,
    })
    const { time, processor } = await longestTask(page, async () => {
      await page.goto(home)
      await planned(page)
      first.push(await page.evaluate(() => window.notes.plans[0]?.at ?? Number.NaN))
    })
    longest.push(time)
    busy.push(processor)
    await newcomer.close()
  }
  await browser.close()
  const slow = `a newcomer on 1.6 Mbit/s with 150 ms: %, median of ${visits}`
  goal(slow.replace('%', 'first plan shown'), median(first), 12_000)
  goal(slow.replace('%', 'longest task of the main thread until then'), median(longest), 50)
  rows.push(['of it, the processor’s time of the longest', `${Math.round(median(busy))} ms`, '', null])
})

for (const [example, most] of [
  ['quickstart', 300],
  ['rack', 1500],
] as const)
  for (const searching of [false, true])
    test(`slider of ${example}${searching ? ', while it is planned' : ''}`, async () => {
      const page = await open(linkTo({ text: await run('example', 'write', example) }), stop)
      const nodes = page.getByRole('slider', { name: 'Nodes per rack, slider' })
      const memory = page.getByRole('slider', { name: /memory, slider$/ }).first()
      const taken: number[] = []
      for (let i = 0; i < times; i++) {
        // Each scenario is new: a plan that was finished before would be back at once.
        if (i % 2 === 1) await memory.press('ArrowRight')
        else await nodes.press(i % 4 === 0 ? 'ArrowRight' : 'ArrowLeft')
        taken.push(await page.evaluate(replanned))
        if (!searching) await stop(page)
        // When idle, or during the thorough plan that follows.
        await page.waitForTimeout(1000)
      }
      await page.close()
      const when = searching ? ', while it is planned thoroughly' : ''
      goal(`\`${example}\`: from a slider's change to its plan and bound shown${when}`, median(taken), most)
    })

/** In the page: the time from the last key until its plan and bound were shown, ms. */
async function replanned(): Promise<number> {
  for (;;) {
    const plan = window.notes.plans.find(({ at, bounded }) => bounded && at > window.notes.key)
    if (plan) return plan.at - window.notes.key
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

test('Stop', async () => {
  const page = await open(linkTo({ text: await run('example', 'write', 'rack'), effort: 16 }), stop)
  const taken: number[] = []
  for (let i = 0; i < 2 * times; i++) {
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.waitForTimeout(300 + ((i * 631) % 2000))
    await page.keyboard.press('Escape')
    await settled(page)
    taken.push(await page.evaluate(() => window.notes.idle - window.notes.key))
  }
  await page.close()
  goal('Stop of a thorough plan of `rack`, 95th percentile', quantile(taken, 0.95), 150)
})

test('longest task', async () => {
  const page = await context.newPage()
  const { time, processor } = await longestTask(page, async () => {
    await page.goto(home)
    await settled(page)
    await page.getByRole('slider', { name: 'Nodes per rack, slider' }).focus()
    for (let i = 0; i < 4; i++) await page.keyboard.press(i % 2 === 0 ? 'ArrowRight' : 'ArrowLeft')
    await settled(page)
    for (const tab of ['Progress', 'Depths', 'Compare', 'Explain'])
      await page.getByRole('tab', { name: tab }).click()
    await page.getByText('Both', { exact: true }).click()
    await page.locator('.cm-content').waitFor()
  })
  await page.close()
  goal('longest task of the main thread: first plan, four changes, all tabs, editor', time, 50)
  rows.push(['of it, the processor’s time of the longest', `${Math.round(processor)} ms`, '', null])
})

test('frames', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['workbench/frames.mjs'])
  const size = /^([\d,]+) GPUs, ([\d,]+) tasks/m.exec(stdout)
  for (const what of ['pan', 'zoom', 'scroll', 'select', 'low rows, pan']) {
    const found = new RegExp(`^${what} +([\\d.]+) +([\\d.]+)`, 'm').exec(stdout)
    if (!found) throw new Error(`workbench/frames.mjs says nothing of ${what}:\n${stdout}`)
    const [, p50, p95] = found
    rows.push([
      `frame of ${size?.[1]} GPUs and ${size?.[2]} tasks, ${what}, processor: median, 95th percentile`,
      `${p50} ms, ${p95} ms`,
      '16 ms',
      Number(p50) <= 16,
    ])
  }
})

test('size', () => {
  const folder = `${root}site/dist/assets/`
  const packed = (name: RegExp) =>
    readdirSync(folder)
      .filter(file => name.test(file))
      .reduce((bytes, file) => bytes + statSync(folder + file).size, 0) / 1e6
  const first = packed(/^first.*\.wasm\.br$/)
  rows.push([
    'what of the planner comes before the first plan, brotli',
    `${first.toFixed(2)} MB`,
    '1.3 MB',
    first <= 1.3,
  ])
  const core = packed(/^(core|data|clp).*\.wasm\.br$/)
  rows.push(['planner and CLP, brotli', `${core.toFixed(2)} MB`, '1.2 MB', core <= 1.2])
  const rest = packed(/\.(js|css)\.br$|\.woff2$/)
  rows.push(['scripts, styles and typeface, brotli', `${rest.toFixed(2)} MB`, '', null])
})

function goal(what: string, ms: number, most: number): void {
  rows.push([what, `${Math.round(ms)} ms`, `${most} ms`, ms <= most])
}

function quantile(list: readonly number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[Math.min(Math.ceil(q * sorted.length), sorted.length) - 1] ?? Number.NaN
}

function median(list: readonly number[]): number {
  return (quantile(list, 0.5) + quantile(list, 0.5 + 1 / list.length)) / 2
}

test('written down', () => {
  const file = fileURLToPath(new URL('../../docs/playground.md', import.meta.url))
  const day = new Date().toISOString().slice(0, 10)
  const load = Math.round(loadavg()[0] ?? 0)
  const table = [
    `${day}, ${cpus().length} cores of ${cpus()[0]?.model.trim() || 'an unnamed processor'}, Chromium without a screen, ${load} processes busy at the end:`,
    '',
    '| what | measured | goal | met |',
    '|---|---:|---:|---|',
    ...rows.map(
      ([what, measured, most, met]) =>
        `| ${what} | ${measured} | ${most} | ${met === null ? '' : met ? 'yes' : 'no'} |`,
    ),
  ].join('\n')
  const marked = /(<!-- measured -->\n)[\s\S]*?(\n<!-- end -->)/
  const text = readFileSync(file, 'utf8')
  if (!marked.test(text)) throw new Error(`${file} has no place for the table`)
  writeFileSync(
    file,
    text.replace(marked, (_, head, tail) => head + table + tail),
  )
  console.log(table)
})
