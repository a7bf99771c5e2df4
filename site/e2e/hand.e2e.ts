// A plan changed by hand: the checker checks each move, and the bound stays.
import { expect, test } from 'vitest'
import { faults, settled, shoot, useBrowser, withScenario } from './harness'

useBrowser()

/** One job alone: its iterations follow each other. */
const alone = `version: 1
name: alone
tick_us: 20000
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 1, gpus: 1, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: a, model: resnet50, workers: 1, iterations: 3}
`

test('a task moves by keyboard and by mouse, and what that breaks is said', () =>
  withScenario(alone, async page => {
    await settled(page)
    await page.getByRole('button', { name: 'By hand' }).click()
    const said = page.getByRole('status', { name: 'By hand' })
    await said.getByText('Every move is checked').waitFor()
    const timeline = page.getByRole('application')
    await timeline.focus()
    await page.keyboard.press('Enter')
    for (const key of [']', ']', 'ArrowRight']) await page.keyboard.press(key)
    await said.getByText(/Valid: .* worse than the planner’s/).waitFor()
    await page.keyboard.press('[')
    await page.keyboard.press('ArrowLeft')
    await said.getByText(/violation/).waitFor()
    expect(await said.innerText()).toMatch(/rule \d+ \(.*\): job 0 "a", iteration/)
    expect(await faults(page)).toEqual([])
    await shoot(page, 'hand')
    await page.keyboard.press('Control+z')
    await said.getByText(/Valid/).waitFor()
    await page.getByRole('button', { name: 'Undo move' }).click()
    await said.getByText('Every move is checked').waitFor()
    // The last bar, half a width to the right.
    const box = (await timeline.boundingBox())!
    const bar = { x: box.x + box.width * 0.8, y: box.y + 40 }
    await page.mouse.move(bar.x, bar.y)
    await page.mouse.down()
    await page.mouse.move(bar.x + 40, bar.y, { steps: 4 })
    await page.mouse.up()
    await said.getByText(/Valid: .* worse than the planner’s/).waitFor()
    await page.mouse.down()
    await page.mouse.move(bar.x - 200, bar.y, { steps: 4 })
    await page.mouse.up()
    await said.getByText(/violation/).waitFor()
    await page.getByRole('button', { name: 'Planner’s plan' }).click()
    await said.waitFor({ state: 'detached' })
  }))

test('what was moved by hand is gone with its scenario', () =>
  withScenario(
    alone,
    async page => {
      await settled(page)
      await page.getByRole('button', { name: 'By hand' }).click()
      await page.getByRole('status', { name: 'By hand' }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
      await shoot(page, 'hand-phone')
      await page.getByRole('button', { name: 'Scenario', exact: true }).click()
      await page.getByRole('slider', { name: 'Nodes per rack, slider' }).press('ArrowRight')
      await page.getByRole('button', { name: 'Plan', exact: true }).first().click()
      await page.getByRole('status', { name: 'By hand' }).waitFor({ state: 'detached' })
    },
    { viewport: { width: 390, height: 844 } },
  ))
