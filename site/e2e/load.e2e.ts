// The first plan does not wait for the whole planner.
import { expect, test } from 'vitest'
import { linkTo, planned, settled, short, small, useBrowser, visit } from './harness'

useBrowser()

test('the first plans come before the whole planner does, which then goes on', () =>
  visit(async visitor => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await visitor.context.route(/\/(core|data|clp)-[^/]*\.wasm$/, async route => {
      await held
      await route.continue()
    })
    // Its quick plans are not proven, so that thorough ones follow.
    const page = await visitor.tab(linkTo({ text: short }))
    await planned(page)
    const status = page.locator('.status')
    await expect.poll(() => status.textContent()).toContain('still loading')
    // A change is planned by the part that is loaded.
    const numbers = () => page.getByRole('region', { name: 'Numbers' }).innerText()
    const before = await numbers()
    await page.locator('.job-title').first().click()
    await page.getByRole('slider', { name: 'Iterations, slider' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(numbers).not.toBe(before)
    // The thorough plan begins by itself, and waits for the rest.
    await page.getByRole('banner').getByRole('button', { name: 'Stop' }).waitFor()
    release()
    await expect.poll(() => status.textContent()).not.toContain('still loading')
    await settled(page)
  }))

test('without a first core the whole one makes the first plan', async () => {
  const missing: string[] = []
  await visit(async visitor => {
    await visitor.context.route(/\/first[^/]*\.wasm$/, route => {
      missing.push(route.request().url())
      return route.fulfill({ status: 404, body: '' })
    })
    const page = await visitor.tab(linkTo({ text: small }))
    await settled(page)
    // The browser tells of each.
    expect(visitor.wrongs.splice(0).every(wrong => /404/.test(wrong))).toBe(true)
  })
  expect(missing.length).toBeGreaterThan(0)
})
