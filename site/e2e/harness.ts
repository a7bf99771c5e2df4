// Shared by the tests in a browser: the program that serves the page, the browser, and a page
// that fails its test when anything goes wrong unnoticed: an error in the console, an
// exception, a violation of the policy, a request to another host.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { chromiumOptions } from '../test/chromium.mjs'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))
/** The program that make site builds, with the page inside. */
export const jigsaw = `${root}bin/jigsaw`
const shots = `${root}bin/shots/`

/** The timeout for everything, on a busy machine. Nothing here measures time. */
export const patience = 60_000

let server: ChildProcess
let browser: Browser
/** The address of the page. */
export let home = ''

/** Serves the page, for all tests of a file. */
export function useServer(): void {
  beforeAll(async () => {
    if (!existsSync(jigsaw)) throw new Error('bin/jigsaw is not there: run make site first')
    server = spawn(jigsaw, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] })
    home = await address(server)
  }, patience)
  afterAll(() => {
    server.kill('SIGINT')
  })
}

/**
 * WebAssembly that has run for long is compiled once more, better; here later than by default: most pages are open for
 * seconds, in which that takes more processor time than it saves. Measurements start their browser by themselves.
 */
const tiering = '--js-flags=--wasm-tiering-budget=100000000'

/** Serves the page and starts a browser, for all tests of a file. */
export function useBrowser(): void {
  useServer()
  beforeAll(async () => {
    browser = await chromium.launch({ ...chromiumOptions, args: [...chromiumOptions.args, tiering] })
    mkdirSync(shots, { recursive: true })
  }, patience)
  afterAll(async () => {
    await shared?.visitor.leave()
    await browser?.close()
  })
}

function address(process: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (data: Buffer) => {
      said += data
      const found = /http:\/\/\S+/.exec(said)
      if (found) resolve(found[0])
    }
    process.stdout?.on('data', hear)
    process.stderr?.on('data', hear)
    process.on('exit', code => reject(new Error(`jigsaw serve ended with ${code}: ${said}`)))
  })
}

/** The size of the page, in pixels, where a test names no other. */
const desk = { width: 1440, height: 900 }

/** A visitor: a browser with empty storage, and what went wrong in it. */
export class Visitor {
  readonly wrongs: string[] = []

  private constructor(readonly context: BrowserContext) {}

  /** Pages have no service worker, which stores them a second time, unless the options allow it. */
  static async come(options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ viewport: desk, serviceWorkers: 'block', ...options })
    context.setDefaultTimeout(patience)
    return new Visitor(context)
  }

  /** A new tab. */
  async tab(path = ''): Promise<Page> {
    const page = await this.context.newPage()
    page.on('console', message => {
      // Browsers request this by themselves if a document names no icon.
      if (message.location().url === `${home}favicon.ico`) return
      if (message.type() === 'error') this.wrongs.push(`console: ${message.text()}`)
    })
    page.on('pageerror', error => this.wrongs.push(`exception: ${error.message}`))
    page.on('dialog', dialog => {
      if (dialog.type() !== 'beforeunload') this.wrongs.push(`dialog: ${dialog.message()}`)
      void dialog.accept()
    })
    page.on('request', request => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(home))
        this.wrongs.push(`request: ${request.url()}`)
    })
    await page.goto(home + path)
    return page
  }

  /** Ends the visit and fails if anything went wrong. */
  async leave(): Promise<void> {
    await this.context.close()
    expect(this.wrongs).toEqual([])
  }
}

/** The fragment of a share link that holds this. */
export const linkTo = (content: unknown) =>
  `#3.${deflateRawSync(JSON.stringify(content)).toString('base64url')}`

/** Opens a link in an open page. */
export async function follow(page: Page, fragment: string): Promise<void> {
  await page.evaluate(hash => {
    location.hash = hash
  }, fragment)
}

/** Runs a visit. */
export async function visit(
  run: (visitor: Visitor) => Promise<void>,
  options?: BrowserContextOptions,
): Promise<void> {
  const visitor = await Visitor.come(options)
  await run(visitor)
  await visitor.leave()
}

/** The tab of the tests that need neither a load nor a storage of their own. */
let shared: { visitor: Visitor; page: Page } | null = null

/** Open between two such tests: one sees neither the plan of the other nor what it unfolded. */
const between = `version: 1
name: between
cluster:
  gpu_types: [{name: a100, memory: 40GiB}]
  racks: [{nodes: 1, gpus: 2, gpu: a100, nic: 200Gbit/s, fabric: 2128Gbit/s}]
jobs:
  - {name: one, kind: burst, model: vgg16, batch: 32, gpus: 2, amplification: 2}
`

let links = 0
/** A link to a scenario. It has a number, because a link that is in the address already is not opened again. */
const numbered = (text: string, mode: 'form' | 'yaml') =>
  linkTo({ text, mode, tab: 'explain', number: ++links })

/**
 * Opens a scenario by a link, in a page that an earlier test of the file has loaded if there is one: to load the
 * page takes longer than most tests. A test that fails leaves the page to nobody.
 */
export async function withScenario(
  text: string,
  run: (page: Page) => Promise<void>,
  { viewport = desk, colorScheme = 'light' }: { viewport?: typeof desk; colorScheme?: 'light' | 'dark' } = {},
): Promise<void> {
  const visitor = shared?.visitor ?? (await Visitor.come({ viewport, colorScheme }))
  const loaded = shared?.page
  shared = null
  try {
    const page = loaded ?? (await visitor.tab(numbered(text, 'form')))
    if (loaded) {
      await page.mouse.move(desk.width - 1, desk.height - 1)
      while ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape')
      await follow(page, numbered(between, 'yaml'))
      await page.getByRole('region', { name: 'Burst-parallel jobs' }).waitFor()
      await page.setViewportSize(viewport)
      await page.emulateMedia({ media: null, reducedMotion: null, colorScheme })
      await follow(page, numbered(text, 'form'))
    }
    await run(page)
    expect(visitor.wrongs).toEqual([])
    shared = { visitor, page }
  } finally {
    if (!shared) await visitor.context.close()
  }
}

/** Waits until a plan with a bound shows. */
export async function planned(page: Page): Promise<void> {
  await page.getByRole('main').getByText('Certified bound').first().waitFor()
}

/** Waits until nothing is planned any more. */
export async function settled(page: Page): Promise<void> {
  await planned(page)
  await page.getByRole('banner').getByRole('button', { name: 'Plan', exact: true }).waitFor()
}

/** Begins to look at every failure of the plan, in the panel returned. */
export async function everyFailure(page: Page): Promise<Locator> {
  await page.getByRole('tab', { name: 'Failures' }).click()
  const panel = page.getByRole('tabpanel')
  await panel.getByRole('button', { name: 'Look at every failure' }).click()
  return panel
}

/** The field that names the scenario. */
export const title = (page: Page) =>
  page.getByRole('region', { name: 'Scenario' }).getByRole('textbox', { name: 'Name', exact: true }).first()

/** Waits until the scenario of that name is open: storage that is slow may answer after the first plan. */
export const opened = (page: Page, name: string) => expect.poll(() => title(page).inputValue()).toBe(name)

/** A scenario that is planned thoroughly at once. */
export const small = `version: 1
name: small
tick_us: 20000
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 1, gpus: 2, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: a, model: alexnet, workers: 2, iterations: 2}
  - {name: b, model: resnet50, workers: 1, iterations: 2}
`

/** Planned thoroughly within seconds, also with one GPU less: that plan is worse, and not proven optimal. */
export const short = `version: 1
name: short
tick_us: 10000
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 2, gpus: 2, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: a, model: vgg16, workers: 2, iterations: 6}
  - {name: b, model: vgg16, workers: 2, iterations: 6}
  - {name: c, model: resnet50, workers: 2, iterations: 8}
`

/** Stops a running search once there is a plan. Most tests do not need the thorough plan. */
export async function stop(page: Page): Promise<void> {
  await planned(page)
  // The first Escape closes the hint of a field.
  if ((await page.locator('[role=tooltip]:popover-open').count()) > 0) await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await settled(page)
}

/** A screenshot to look at, kept with the build. */
export async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${shots}${name}.png` })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The violations found by axe in a part of the page, in words; by all of its rules, or only by the given ones. */
export async function faults(page: Page, rules?: string[], part = 'html'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(
    async ({ rules, part }) => {
      const { violations } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(
        { include: [part] },
        rules ? { runOnly: rules } : {},
      )
      return violations.flatMap(v => v.nodes.map(node => `${v.id}: ${v.help}: ${node.target.join(' ')}`))
    },
    { rules, part },
  )
}

/** The text of an example. */
export const exampleText = (name: string) => readFileSync(`${root}testdata/examples/${name}.yaml`, 'utf8')

/** The fragment of a link to an example. */
export const example = (name: string) => linkTo({ text: exampleText(name) })

const folder = mkdtempSync(join(tmpdir(), 'jigsaw-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** A file for the command line. */
export function fileOf(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

/** The output of the command line. */
export async function run(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(jigsaw, args, { maxBuffer: 1 << 28 })).stdout
  } catch (error) {
    const failed = error as { code?: number; stdout?: string }
    if (failed.code === 3 && failed.stdout) return failed.stdout // proven infeasible
    throw error
  }
}
