// The page for everyone: by keyboard alone, for screen readers, dark, on a phone.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { planned, settled, shoot, stop, useBrowser, visit } from './harness'

useBrowser()

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong, in words. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run()
    return violations.flatMap(v => v.nodes.map(node => `${v.id}: ${v.help}: ${node.target.join(' ')}`))
  })
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing in ${colorScheme}`, () =>
    visit(
      async visitor => {
        const page = await visitor.tab()
        await planned(page)
        await stop(page)
        expect(await faults(page)).toEqual([])
        await shoot(page, `main-${colorScheme}`)
        await page.getByRole('button', { name: /^vgg / }).click()
        expect(await faults(page), 'job').toEqual([])
        await shoot(page, `job-${colorScheme}`)
        await page.keyboard.press('p')
        for (const tab of ['Explain', 'Progress', 'Compare', 'Depths']) {
          await page.getByRole('tab', { name: tab }).click()
          await page.getByText('Loading.').waitFor({ state: 'detached' })
          expect(await faults(page), tab).toEqual([])
          await page.getByRole('tabpanel').scrollIntoViewIfNeeded()
          await shoot(page, `${tab.toLowerCase()}-${colorScheme}`)
        }
        for (const key of ['g', 'o', 'e', 's', '?']) {
          await page.keyboard.press(key)
          await page.getByRole('dialog').waitFor()
          expect(await faults(page), `dialog of ${key}`).toEqual([])
          await shoot(page, `dialog-${key === '?' ? 'help' : key}-${colorScheme}`)
          await page.keyboard.press('Escape')
          await page.locator('dialog').waitFor({ state: 'detached' })
        }
        await page.getByText('Both', { exact: true }).click()
        await page.locator('.cm-content').waitFor()
        expect(await faults(page), 'editor').toEqual([])
        await shoot(page, `editor-${colorScheme}`)
      },
      { colorScheme, reducedMotion: 'reduce' },
    ))

test('a phone shows all of it, without scrolling sideways', () =>
  visit(
    async visitor => {
      const page = await visitor.tab()
      await planned(page)
      await stop(page)
      await shoot(page, 'phone')
      // One row of a header, and the rows of the GPUs on the first screen.
      expect((await page.getByRole('banner').boundingBox())!.height).toBeLessThan(56)
      const timeline = await page.getByRole('application').boundingBox()
      expect(timeline?.y).toBeLessThan(420)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByLabel('Effort').waitFor()
      expect(await faults(page)).toEqual([])
      await shoot(page, 'phone-more')
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByLabel('Effort').waitFor({ state: 'hidden' })
      await page.getByRole('note', { name: 'What the picture shows' }).waitFor()
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways).toBeLessThanOrEqual(0)
      expect(await faults(page)).toEqual([])
      await page.getByRole('main').scrollIntoViewIfNeeded()
      await shoot(page, 'phone-plan')
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  ))

test('the keyboard alone reaches the plan, its tasks and its end', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await planned(page)
    await page.keyboard.press('Escape')
    await settled(page)
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement
        return `${at?.getAttribute('role') ?? at?.tagName} ${at?.getAttribute('aria-label') ?? at?.textContent ?? ''}`
      })
    const seen: string[] = []
    for (let i = 0; i < 120; i++) {
      await page.keyboard.press('Tab')
      const at = await focused()
      seen.push(at)
      if (/^application/.test(at)) break
    }
    expect(seen.at(-1)).toMatch(/^application/)
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('main').innerText()).toMatch(/iteration \d+/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await focused()).not.toMatch(/^application/)
  }))

test('every number has its definition, for pointer, keyboard and screen reader', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    const tip = page.locator('[role=tooltip]:popover-open')
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const names = [
      'Makespan',
      'Certified bound',
      'Gap',
      'Efficiency',
      'Weighted completion',
      'GPUs busy',
      'What is SPB?',
    ]
    for (const name of names) {
      const word = numbers.getByRole('button', { name, exact: true })
      await word.hover()
      expect(await tip.count(), name).toBe(1)
      const text = await tip.innerText()
      expect(text.length).toBeGreaterThan(40)
      const box = (await tip.boundingBox())!
      expect(box.x + box.width).toBeLessThanOrEqual(1440)
      await page.mouse.move(700, 890)
      await tip.waitFor({ state: 'detached' })
      await word.focus()
      expect(await tip.innerText()).toBe(text)
      expect(
        await word.evaluate(at => document.getElementById(at.getAttribute('aria-describedby')!)?.textContent),
      ).toBe(text)
      await page.keyboard.press('Escape')
      expect(await tip.count()).toBe(0)
    }
    await numbers.getByRole('button', { name: 'Gap', exact: true }).hover()
    await shoot(page, 'definition')
    expect(await faults(page)).toEqual([])
  }))

test('the form fits its place', () =>
  visit(
    async visitor => {
      const page = await visitor.tab()
      await stop(page)
      await page.locator('.job-title').first().click()
      const form = page.getByRole('form', { name: 'Scenario form' })
      expect(await form.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    },
    { viewport: { width: 1024, height: 768 } },
  ))

test('a dialog gives the focus back, and its key works in the timeline', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    const menu = page.getByRole('button', { name: 'Gallery', exact: true })
    await menu.press('Enter')
    await page.getByRole('button', { name: 'Open rack', exact: true }).press('Enter')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await menu.evaluate(button => button === document.activeElement)).toBe(true)
    await page.getByRole('application').press('?')
    await page.getByRole('dialog', { name: 'Help' }).waitFor()
  }))

test('a part of the page that cannot be loaded says so', () =>
  visit(async visitor => {
    await visitor.context.route(/Editor-/, route => route.abort())
    const page = await visitor.tab()
    await stop(page)
    await page.getByText('YAML', { exact: true }).click()
    await page.getByRole('alert').getByText('could not be loaded').waitFor()
    // As the browser does in the console.
    expect(visitor.wrongs.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
  }))

test('a dialog opens again though the browser has not told yet that it is closed', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.waitFor()
    await page.evaluate(async () => {
      const first = document.querySelector('dialog')
      const told = new Promise(resolve => first?.addEventListener('close', resolve))
      // As Escape does: the event comes in a task of its own, and the key may come before.
      first?.close()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true }))
      await told
    })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  }))
