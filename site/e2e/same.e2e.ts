// The browser makes exactly the plan of the command line, and the command line reads its exports.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { bareEngine, type Outcome } from './engine'
import {
  example,
  fileOf,
  follow,
  run,
  settled,
  short,
  small,
  stop,
  useBrowser,
  visit,
  withScenario,
} from './harness'

useBrowser()

const folder = mkdtempSync(join(tmpdir(), 'jigsaw-'))

/** The command line's plan of an instance. */
async function planHere(text: string, seed: number, quick: boolean): Promise<Outcome> {
  const [file, proof] = [fileOf('instance.yaml', text), join(folder, 'proof.json')]
  rmSync(proof, { force: true })
  const flags = ['--seed', `${seed}`, '--timeless', '-o', 'json', '--certificate', proof]
  const document = JSON.parse(await run('plan', file, ...flags, ...(quick ? ['--quick'] : [])))
  return {
    status: document.status,
    primal: document.primal_bound,
    dual: document.dual_bound,
    certified: document.certified,
    bounds: document.bounds,
    certificate: existsSync(proof) ? JSON.parse(readFileSync(proof, 'utf8')) : null,
    schedule: document.schedule,
  }
}

/** The plan of the page's core. */
const planThere = (page: Page, text: string, seed: number, quick: boolean) =>
  page.evaluate(options => window.plan(options), { text, seed, quick })

test('quick plans, bounds and proofs of every example equal those of the command line', () =>
  visit(async visitor => {
    const examples = (await run('example', 'list'))
      .trim()
      .split('\n')
      .map(line => line.split(' ')[0] ?? '')
    expect(examples.length).toBeGreaterThanOrEqual(8)
    const page = await bareEngine(visitor)
    for (const [index, name] of examples.entries()) {
      // Burst-parallel jobs are tested in bursts.e2e.ts.
      if (name === 'burst') continue
      const text = await run('example', 'write', name)
      const seed = index % 2
      const here = await planHere(text, seed, true)
      // Only the command line writes out plans in blocks.
      if ((here.schedule as { blocks?: unknown } | undefined)?.blocks) continue
      expect(await planThere(page, text, seed, true), `${name}, seed ${seed}`).toEqual(here)
    }
  }))

test('thorough plans equal those of the command line', () =>
  visit(async visitor => {
    const page = await bareEngine(visitor)
    for (const text of [short, await run('example', 'write', 'thin-network')])
      expect(await planThere(page, text, 1, false)).toEqual(await planHere(text, 1, false))
  }))

/** Saves an export and returns its path. */
async function save(page: Page, format: string): Promise<string> {
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Export' })
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: new RegExp(`^${format}`) }).click()
  const file = await download
  const path = join(folder, file.suggestedFilename())
  await file.saveAs(path)
  await page.keyboard.press('Escape')
  return path
}

test('what is exported is read by the command line, and the command that shows makes the plan that shows', () =>
  withScenario(short, async page => {
    await stop(page)
    // The changed scenario is what is saved.
    await page.getByRole('slider', { name: 'GPUs per node, slider' }).press('ArrowRight')
    await expect.poll(() => page.getByRole('application').getAttribute('aria-label')).toMatch(/on 6 GPUs/)
    await settled(page)
    const [yaml, schedule, certificate, result] = [
      await save(page, 'YAML'),
      await save(page, 'Schedule'),
      await save(page, 'Certificate'),
      await save(page, 'Result'),
    ]
    expect(await run('check', yaml, schedule)).toMatch(/valid/)
    expect(await run('certify', yaml, certificate, schedule)).toMatch(/proven/)
    const read = async (format: string) => readFileSync(await save(page, format), 'utf8')
    expect(await run('check', await save(page, 'JSON'), result)).toMatch(/valid/)
    expect(await read('SVG')).toMatch(/^(<\?xml[^>]*>\s*)?<svg/)
    expect(readFileSync(await save(page, 'PNG')).toString('latin1', 1, 4)).toBe('PNG')
    // A row for each of forty tasks, and for their synchronisations.
    expect((await read('CSV')).trim().split('\n').length).toBeGreaterThan(40)
    expect(JSON.parse(await read('Perfetto')).traceEvents.length).toBeGreaterThan(40)

    await page.keyboard.press('e')
    const command = page.getByRole('textbox', { name: /^The command/ })
    const [program, plan, file, ...options] = (await command.inputValue()).split(' ')
    expect([program, plan, file]).toEqual(['jigsaw', 'plan', 'short.yaml'])
    const made = JSON.parse(await run('plan', yaml, ...options, '-o', 'json'))
    const shown = JSON.parse(readFileSync(result, 'utf8'))
    const { primal_bound, dual_bound } = made
    expect(shown).toMatchObject({ primal_bound, dual_bound, schedule: made.schedule })
    await page.keyboard.press('Escape')
  }))

test('the integer program is the command line’s, and refused where it is too large', () =>
  withScenario(small, async page => {
    await settled(page)
    const instance = await save(page, 'YAML')
    const { primal_bound } = JSON.parse(readFileSync(await save(page, 'Result'), 'utf8'))
    for (const format of ['LP', 'MPS']) {
      const made = ['-o', format.toLowerCase(), '--horizon', `${primal_bound}`]
      expect(readFileSync(await save(page, format), 'utf8')).toBe(await run('export', instance, ...made))
    }
    await follow(page, example('quickstart'))
    await page.getByRole('region', { name: 'Timeline of quickstart' }).waitFor()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.getByRole('button', { name: /^LP/ }).click()
    await dialog
      .getByRole('alert')
      .getByText(/too large/)
      .waitFor()
  }))
