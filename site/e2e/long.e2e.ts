// Long plans: jobs on nodes, one block in close-up, and a table by job.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  everyFailure,
  exampleText,
  faults,
  follow,
  linkTo,
  settled,
  shoot,
  small,
  stop,
  useBrowser,
  withScenario,
} from './harness'

useBrowser()

/** Two jobs side by side for hours, and one that waits for them. */
const long = `version: 1
name: long
residence: run
cluster:
  gpu_types: [{name: v100, memory: 12GiB}]
  racks: [{nodes: 2, gpus: 2, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
  load_rate: 16Gbit/s
jobs:
  - {name: alex, model: alexnet, workers: 2, iterations: 60000}
  - {name: residual, model: resnet50, workers: 2, iterations: 40000}
  - {name: bert, model: bert24, workers: 4, iterations: 20000, optimizer: adam}
`

test('a plan of hours shows its jobs on nodes, and a block of it close up', () =>
  withScenario(long, async page => {
    await settled(page)
    const hours = page.getByRole('region', { name: /jobs on nodes$/ })
    await hours.getByText('3 jobs in').waitFor()
    await hours.locator('[data-bar="bert"] rect[data-job]').last().click()
    const block = page.getByRole('region', { name: 'One block close up' })
    // A pattern of bert's tasks, many times over.
    await block.getByText(/a period of .*, [\d,]+ times/).waitFor()
    await block.getByRole('application', { name: /^One period of block \d+: \d+ tasks/ }).waitFor()
    expect(await faults(page)).toEqual([])
    await shoot(page, 'long')
    await page.getByRole('tab', { name: 'Explain' }).click()
    const explained = page.getByRole('region', { name: 'Explanation' })
    await explained
      .getByText(/^"bert" ends at .* waiting for ".*", .* for its 20,000 iterations\.$/)
      .waitFor()
    await explained
      .getByRole('table')
      .getByText(/^".*" is on r0n\d until then\.$/)
      .waitFor()
    await shoot(page, 'long-explained')
    await hours.getByText('Table by job').click()
    expect(await hours.getByRole('table').getByRole('row').count()).toBe(4)
    await hours.getByRole('button', { name: 'alex', exact: true }).click()
    expect(await hours.locator('[data-bar="bert"].dimmed').count()).toBeGreaterThan(0)
    expect(await hours.locator('[data-bar="alex"].dimmed').count()).toBe(0)
    await block.getByRole('button', { name: 'Close' }).click()
    await block.waitFor({ state: 'detached' })
  }))

test('a plan of two hundred jobs shows from the first one that is found', () =>
  withScenario(exampleText('night'), async page => {
    const hours = page.getByRole('region', { name: 'Timeline of night, jobs on nodes' })
    await hours.locator('[data-bar]').first().waitFor()
    // The search for a better one takes seconds more.
    expect(await page.getByText('The explanation comes with the first result.').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('banner').getByRole('button', { name: 'Plan', exact: true }).waitFor()
    expect(await hours.locator('[data-bar]').count()).toBeGreaterThan(0)
    // The core did not come to it: the page works it out.
    expect(await page.getByRole('region', { name: 'Numbers' }).innerText()).toMatch(/Efficiency\s+\d\.\d+/)
  }))

test('on a low screen a block that is opened comes into sight, and so do its jobs', () => {
  const text = `${long.slice(0, long.indexOf('jobs:')).replace('nodes: 2', 'nodes: 12')}jobs:
  - {name: alex, count: 24, model: alexnet, workers: 2, iterations: 60000}
`
  return withScenario(
    text,
    async page => {
      await stop(page)
      const hours = page.getByRole('region', { name: /jobs on nodes$/ })
      const rows = hours.getByRole('group', { name: 'Jobs on nodes' })
      await hours.getByText('Table by job').click()
      // By keyboard too, which axe checks.
      expect(await faults(page)).toEqual([])
      const seen = (part: Locator) =>
        part.evaluate(one => {
          const of = one.closest('.horizon-box, .results')!.getBoundingClientRect()
          const { top, bottom } = one.getBoundingClientRect()
          return bottom > of.top && top < of.bottom
        })
      const last = hours.locator('[data-bar]').last()
      expect(await seen(last)).toBe(false)
      const name = (await last.getAttribute('data-bar'))!
      await hours.getByRole('button', { name, exact: true }).click()
      const block = page.getByRole('region', { name: 'One block close up' })
      await expect.poll(() => seen(block.getByRole('heading'))).toBe(true)
      const lit = await rows.locator('.horizon-bar:not(.dimmed)').all()
      expect((await Promise.all(lit.map(seen))).some(Boolean)).toBe(true)
      // On paper all of them are printed, as wide as the page.
      await page.setViewportSize({ width: 720, height: 400 })
      await page.emulateMedia({ media: 'print' })
      const cut = await rows.evaluate(box => {
        const picture = box.querySelector('svg')!.getBoundingClientRect()
        const { width, height } = box.getBoundingClientRect()
        return [picture.width - width, picture.height - height]
      })
      expect(Math.max(...cut)).toBeLessThan(1)
    },
    { viewport: { width: 1440, height: 420 } },
  )
})

test('plans of hours are compared on one axis and in a table', () =>
  withScenario(long, async page => {
    await stop(page)
    await page.keyboard.press('p')
    const hours = (plan: string) =>
      page.getByRole('region', { name: `Timeline of plan ${plan}, jobs on nodes` }).locator('[data-bar]')
    await hours('A').first().waitFor()
    const change = page.getByRole('slider', { name: 'Nodes per rack, slider' })
    await change.press('ArrowRight')
    const ends = page
      .getByRole('table', { name: 'Differences' })
      .getByRole('row', { name: /^Makespan/ })
      .getByText(/[▲▼] [−+]?\d/)
    await ends.waitFor()
    await stop(page)
    // A job that is selected is selected in both.
    await hours('B').and(page.locator('[data-bar="bert"]')).locator('rect').last().click()
    expect(await hours('A').and(page.locator('.dimmed')).count()).toBeGreaterThan(0)
    expect(await faults(page)).toEqual([])
    await shoot(page, 'long-compared')
  }))

test('a short plan with a queue shows its hours and its tasks, and a plan without blocks the tasks alone', () => {
  const text = small.replace('tick_us: 20000\n', 'residence: run\n')
  return withScenario(text, async page => {
    await settled(page)
    await page.getByRole('region', { name: 'Timeline of small, jobs on nodes' }).waitFor()
    await page.getByRole('application', { name: /^Timeline of small: 6 tasks/ }).waitFor()
    await follow(page, linkTo({ text: small }))
    await page.getByRole('region', { name: /jobs on nodes$/ }).waitFor({ state: 'detached' })
    await settled(page)
    await page.getByRole('application', { name: /^Timeline of small: 6 tasks/ }).waitFor()
    expect(await page.getByRole('region', { name: /jobs on nodes$/ }).count()).toBe(0)
  })
})

test('failures of a plan of hours are looked at', () =>
  withScenario(long, async page => {
    await settled(page)
    const panel = await everyFailure(page)
    const table = panel.getByRole('table', { name: 'Failures, the greatest harm first' })
    await table.waitFor()
    expect(await table.getByRole('rowheader').allInnerTexts()).toContain('node r0n0')
    expect(await faults(page)).toEqual([])
    await panel.scrollIntoViewIfNeeded()
    await shoot(page, 'long-failures')
  }))
