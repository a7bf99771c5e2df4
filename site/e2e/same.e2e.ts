// The browser gives the very plan that the command line gives, and what it exports is read there.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { bareEngine, type Outcome } from './engine'
import { linkTo, run, settled, small, stop, useBrowser, visit } from './harness'

useBrowser()

const folder = mkdtempSync(join(tmpdir(), 'jigsaw-'))

/** What the command line makes of an example. */
async function planHere(example: string, seed: number, quick: boolean): Promise<Outcome> {
  const proof = join(folder, `${example}-${seed}-${quick}.json`)
  const flags = ['--seed', `${seed}`, '--timeless', '-o', 'json', '--certificate', proof]
  const document = JSON.parse(await run('plan', example, ...flags, ...(quick ? ['--quick'] : [])))
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

async function compare(page: Page, example: string, seed: number, quick: boolean): Promise<void> {
  const text = await run('example', 'write', example)
  const [there, here] = await Promise.all([
    page.evaluate(options => window.plan(options), { text, seed, quick }),
    planHere(example, seed, quick),
  ])
  expect(there, `${example}, seed ${seed}`).toEqual(here)
}

test('quick plans, bounds and proofs of every example equal those of the command line', () =>
  visit(async visitor => {
    const examples = (await run('example', 'list'))
      .trim()
      .split('\n')
      .map(line => line.split(' ')[0] ?? '')
    expect(examples.length).toBeGreaterThanOrEqual(8)
    const page = await bareEngine(visitor)
    for (const example of examples) {
      // Burst-parallel jobs, and what is planned in blocks, are the command line's alone.
      if (example === 'burst') continue
      const { schedule } = JSON.parse(await run('plan', example, '--quick', '-o', 'json'))
      if (schedule?.blocks) continue
      for (const seed of [0, 1, 2]) await compare(page, example, seed, true)
    }
  }))

test('thorough plans equal those of the command line', () =>
  visit(async visitor => {
    const page = await bareEngine(visitor)
    for (const example of ['quickstart', 'tight-memory', 'thin-network'])
      await compare(page, example, 1, false)
  }))

/** Saves an export, and says where. */
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

test('what is exported is read by the command line', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    const [yaml, schedule, certificate] = [
      await save(page, 'YAML'),
      await save(page, 'Schedule'),
      await save(page, 'Certificate'),
    ]
    expect(await run('check', yaml, schedule)).toMatch(/valid/)
    expect(await run('certify', yaml, certificate, schedule)).toMatch(/proven/)
    const read = async (format: string) => readFileSync(await save(page, format), 'utf8')
    expect(await run('check', await save(page, 'JSON'), await save(page, 'Result'))).toMatch(/valid/)
    expect(await read('SVG')).toMatch(/^(<\?xml[^>]*>\s*)?<svg/)
    expect(readFileSync(await save(page, 'PNG')).toString('latin1', 1, 4)).toBe('PNG')
    expect((await read('CSV')).trim().split('\n').length).toBeGreaterThan(100)
    expect(JSON.parse(await read('Perfetto')).traceEvents.length).toBeGreaterThan(100)
  }))

test('the integer program is the command line’s, and refused where it is too large', () =>
  visit(async visitor => {
    const page = await visitor.tab(linkTo({ text: small }))
    await settled(page)
    const instance = await save(page, 'YAML')
    const { primal_bound } = JSON.parse(readFileSync(await save(page, 'Result'), 'utf8'))
    for (const format of ['LP', 'MPS']) {
      const made = ['-o', format.toLowerCase(), '--horizon', `${primal_bound}`]
      expect(readFileSync(await save(page, format), 'utf8')).toBe(await run('export', instance, ...made))
    }
    const other = await visitor.tab()
    await stop(other)
    await other.keyboard.press('e')
    const dialog = other.getByRole('dialog', { name: 'Export' })
    await dialog.getByRole('button', { name: /^LP/ }).click()
    await dialog
      .getByRole('alert')
      .getByText(/too large/)
      .waitFor()
  }))

test('the command that the page shows makes the plan that it shows', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    const shown = JSON.parse(readFileSync(await save(page, 'Result'), 'utf8'))
    await page.keyboard.press('e')
    const command = await page.getByRole('textbox', { name: /^The command/ }).inputValue()
    const args = command.split(' ')
    expect(args.shift()).toBe('jigsaw')
    const made = JSON.parse(await run(...args, '-o', 'json'))
    expect([shown.primal_bound, shown.dual_bound, shown.schedule]).toEqual([
      made.primal_bound,
      made.dual_bound,
      made.schedule,
    ])
  }))
