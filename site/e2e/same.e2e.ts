// The browser gives the very plan that the command line gives, and what it exports is read there.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { planned, run, settled, stop, useBrowser, visit } from './harness'

useBrowser()

const folder = mkdtempSync(join(tmpdir(), 'jigsaw-'))

/** Saves an export, and says where. */
async function save(page: Page, button: RegExp): Promise<string> {
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Export' })
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: button }).click()
  const file = await download
  const path = join(folder, file.suggestedFilename())
  await file.saveAs(path)
  await page.keyboard.press('Escape')
  return path
}

interface Document {
  primal_bound: number | null
  dual_bound: number | null
  status: string
  schedule: unknown
}

test('what is exported is read by the command line', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    const yaml = await save(page, /^YAML/)
    const schedule = await save(page, /^Schedule/)
    const certificate = await save(page, /^Certificate/)
    expect(run('check', yaml, schedule)).toMatch(/valid/)
    expect(run('certify', yaml, certificate, schedule)).toMatch(/proven/)
    expect(readFileSync(await save(page, /^SVG/), 'utf8')).toMatch(/^<svg|^<\?xml/)
    expect(readFileSync(await save(page, /^PNG/)).subarray(1, 4).toString()).toBe('PNG')
    expect(readFileSync(await save(page, /^CSV/), 'utf8').split('\n').length).toBeGreaterThan(100)
    expect(JSON.parse(readFileSync(await save(page, /^Perfetto/), 'utf8')).traceEvents.length).toBeGreaterThan(100)
    expect(JSON.parse(readFileSync(await save(page, /^JSON/), 'utf8')).version).toBe(1)
  }))
