// A picture to send along with a link: the plan before and after, drawn by the page.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { follow, linkTo, settled, shoot, short, small, stop, useBrowser, withScenario } from './harness'

useBrowser()

/** Saves the picture by keyboard alone, and returns its bytes. */
async function saved(page: Page): Promise<Buffer> {
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByRole('img', { name: /Partial backpropagation/ }).waitFor()
  const coming = page.waitForEvent('download')
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.textContent?.includes('Save picture'))) break
  }
  await page.keyboard.press('Enter')
  const download = await coming
  expect(download.suggestedFilename()).toMatch(/^[\w-]+\.png$/)
  return readFileSync(await download.path())
}

/** Width and height, and how many colours the picture has. */
async function look(page: Page, png: Buffer): Promise<{ width: number; height: number; colours: number }> {
  return page.evaluate(async bytes => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')!
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    const colours = new Set(new Uint32Array(data.buffer))
    return { width: image.width, height: image.height, colours: colours.size }
  }, Array.from(png))
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`the picture of SPB is saved by keyboard, ${colorScheme}`, () =>
    withScenario(
      short,
      async page => {
        await settled(page)
        const gain = await page.getByText(/^Partial backpropagation \(SPB\) ends sooner/).innerText()
        await page.keyboard.press('s')
        const picture = page.getByRole('region', { name: 'Picture' }).getByRole('img')
        const png = await saved(page)
        expect(png.subarray(1, 4).toString()).toBe('PNG')
        const { colours, ...size } = await look(page, png)
        expect(size).toEqual({ width: 2400, height: 1260 })
        // Two plans of three jobs: hardly a blank page.
        expect(colours).toBeGreaterThan(100)
        // It says what the page says, and how certain that is.
        const label = (await picture.getAttribute('aria-label'))!
        expect(label).toMatch(/^short\. Partial backpropagation .* \(certified\)\.$/)
        expect(label.slice(0, label.indexOf(':'))).toContain(gain.slice(0, gain.indexOf(' by')))
        await shoot(page, `share-${colorScheme}`)
        // The plan at full depth was made for it: the switch shows it at once, with the same numbers.
        await page.keyboard.press('Escape')
        await page.getByRole('switch', { name: 'SPB' }).press('Space')
        const sentence = (await page.getByText(/^Partial backpropagation \(SPB\) ends/).innerText()).trim()
        expect(label).toContain(sentence)
      },
      { colorScheme },
    ))

test('of a plan of the scenario before a change, Share and Export say so, and the page what leads on', () =>
  withScenario(small, async page => {
    await settled(page)
    await follow(page, linkTo({ text: small.replace('workers: 2', 'workers: 0') }))
    await page.getByText('It is for an earlier version of the scenario; fix the problems').waitFor()
    await page.keyboard.press('e')
    await page
      .getByRole('dialog', { name: 'Export' })
      .getByText('The plan is for an earlier version')
      .waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog', { name: 'Share' })
    await dialog.getByText('The picture shows the current plan').waitFor()
    // It still shows the gain of the plan, and how good it is.
    const picture = dialog.getByRole('img', { name: /^small\. .+no plan is better/ })
    await picture.waitFor()
    await page.keyboard.press('Escape')
    await follow(page, linkTo({ text: small }))
    await expect.poll(() => page.getByText('It is for an earlier version').count()).toBe(0)
    await page.keyboard.press('s')
    await dialog.getByRole('textbox').waitFor()
    expect(await dialog.getByText('The picture shows the current plan').count()).toBe(0)
  }))

test('the picture of a change shows the pinned plan and this one', () =>
  withScenario(small, async page => {
    await stop(page)
    await page.keyboard.press('p')
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const before = await numbers.innerText()
    await page.getByRole('slider', { name: 'GPUs per node, slider' }).press('ArrowRight')
    await expect.poll(() => numbers.innerText()).not.toBe(before)
    await settled(page)
    await page.keyboard.press('s')
    const picture = page.getByRole('region', { name: 'Picture' }).getByRole('img')
    await expect
      .poll(() => picture.getAttribute('aria-label'))
      .toMatch(
        /^small\. The plan ends (sooner|later) than the one before by [\d.]+\s%: [\d.,]+\sm?s → [\d.,]+\sm?s\./,
      )
    await shoot(page, 'share-compared')
  }))
