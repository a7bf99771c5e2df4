// The question that the page is there for, asked with the mouse alone: 4 nodes of 8 GPUs, six
// ResNet-50 and three BERT. What does partial backpropagation gain, what would a faster
// network, and what if a GPU fails?
import { expect, test } from 'vitest'
import { planned, settled, shoot, stop, useBrowser, visit } from './harness'

useBrowser()

test('what would I gain is answered by mouse', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    const slide = (name: string, value: number) =>
      form.getByRole('slider', { name: `${name}, slider` }).fill(String(value))
    await slide('Nodes per rack', 4)
    await slide('GPUs per node', 8)
    for (const job of ['vgg', 'inception', 'alex'])
      await form.getByRole('button', { name: `Remove ${job}` }).click()
    await form.getByRole('button', { name: /^resnet / }).click()
    await slide('Copies', 6)
    await form.getByRole('button', { name: /^translate / }).click()
    await form.getByLabel('Model').selectOption('bert24')
    await slide('Copies', 3)
    await slide('Workers', 4)
    await form.getByText('3 × bert24, 4').waitFor()
    await form.getByText('6 × resnet50, 4').waitFor()
    await settled(page)

    const numbers = page.getByRole('region', { name: 'Numbers' })
    const gain = numbers.getByText(/^Partial backpropagation \(SPB\) ends sooner than full depth by [\d.]+/)
    await gain.waitFor()
    expect(await numbers.innerText()).toMatch(
      /no plan can be (more than|as much as) .* better|no plan is better/,
    )

    const change = (name: RegExp) =>
      page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
    for (const name of [/the network$/, /a GPU of r0n0 fails/]) {
      await change(name)
        .getByRole('button', { name: /^Try it/ })
        .click()
      await change(name)
        .getByRole('button', { name: /^Take over/ })
        .waitFor()
      expect(await change(name).innerText()).toMatch(/\ss → .*\ss/)
    }
    await change(/the network$/).scrollIntoViewIfNeeded()
    await shoot(page, 'task')
    await change(/a GPU of r0n0 fails/)
      .getByRole('button', { name: /^Take over/ })
      .click()
    await page.getByText('A GPU of r0n0 fails.').waitFor()
    await planned(page)
    await settled(page)
    expect(await page.locator('.healing').innerText()).toMatch(
      /run on other GPUs than before|stays on its GPUs/,
    )
    await gain.waitFor()
  }))

test('the switch of SPB shows the same jobs at full depth, and back', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const makespan = async () => Number(/Makespan\s+([\d.]+)/.exec(await numbers.innerText())?.[1])
    const spb = await makespan()
    const gain = numbers.getByText(/^Partial backpropagation \(SPB\) ends sooner than full depth by/)
    const toggle = numbers.getByRole('switch', { name: 'SPB' })
    await toggle.press('Space')
    // While it is planned the row of the gain is there, and nothing below it moves.
    const line = numbers.locator('.gain')
    expect((await line.innerText()).trim()).not.toMatch(/^SPB$/)
    await expect.poll(makespan).toBeGreaterThan(1.1 * spb)
    await settled(page)
    const full = await makespan()
    expect(await gain.innerText()).toContain(`${full.toFixed(2)}\u00a0s → ${spb.toFixed(3)}\u00a0s`)
    await shoot(page, 'full-depth')
    await toggle.click()
    await expect.poll(makespan).toBe(spb)
    await shoot(page, 'spb-moves')
    expect(await gain.innerText()).toContain(`${full.toFixed(2)}\u00a0s → ${spb.toFixed(3)}\u00a0s`)
    // It was planned before: nothing is planned anew.
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
  }))

test('a click on a GPU fails it, the plan heals, and undo takes it back', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await settled(page)
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const before = await numbers.innerText()
    const timeline = page.getByRole('application')
    const menu = page.getByRole('menu')
    await timeline.click({ position: { x: 20, y: 60 } })
    await menu.getByRole('menuitem', { name: 'A GPU of r0n0 fails' }).waitFor()
    await shoot(page, 'row-menu')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    // By keyboard alone.
    await timeline.press('m')
    expect(await menu.getAttribute('aria-label')).toBe('What may happen to r0n0.gpu0')
    await page.keyboard.press('Enter')
    const healing = page.locator('.healing')
    await healing.getByText('A GPU of r0n0 fails.').waitFor()
    await settled(page)
    await expect
      .poll(() => healing.innerText())
      .toMatch(
        /(on other GPUs than before|stays on its GPUs); the plan is [\d.]+\s% worse: [\d.]+\ss → [\d.]+\ss\. A valid plan; no plan can be/,
      )
    await shoot(page, 'healed')
    await healing.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => numbers.innerText()).toBe(before)
    await healing.waitFor({ state: 'detached' })
    // A link, which is thinned without touching what else its author wrote.
    await page.getByText('YAML', { exact: true }).click()
    await timeline.press('m')
    await menu.getByRole('menuitem', { name: 'The network is 10 times as fast' }).click()
    await page.locator('.cm-content').getByText('nic: 250Gbit/s').waitFor()
    await page
      .locator('.cm-content')
      .getByText('- {name: vgg, model: vgg16, workers: 4, iterations: 9}')
      .waitFor()
    await settled(page)
    await healing.getByText('The network is 10 times as fast.').waitFor()
  }))

test('the tour teaches SPB with plans that are made on the way', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    await page.getByRole('button', { name: 'Take the tour' }).click()
    const tour = page.getByRole('region', { name: 'Tour' })
    const time = async () => Number(/([\d.]+)\ss/.exec(await tour.innerText())?.[1])
    await tour.getByText('1 of 5').waitFor()
    await expect.poll(time).toBeGreaterThan(12)
    const full = await time()
    await tour.getByRole('button', { name: 'Next' }).click()
    await expect.poll(time).toBeLessThan(0.9 * full)
    const spb = await time()
    await shoot(page, 'tour')
    await tour.getByRole('button', { name: 'Next' }).click()
    await page.getByText('sync of iteration 2').waitFor()
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByText('a bound, proven in exact arithmetic').waitFor()
    await tour.getByRole('button', { name: 'Next' }).click()
    await page.locator('.healing').getByText('A GPU of r0n0 fails.').waitFor()
    await expect.poll(time).toBeGreaterThan(spb)
    // Back mends the GPU.
    await tour.getByRole('button', { name: 'Back' }).click()
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
    await tour.getByRole('button', { name: 'End the tour' }).click()
    await tour.waitFor({ state: 'detached' })
    expect(await page.getByRole('switch', { name: 'SPB' }).isChecked()).toBe(true)
  }))

test('a link that does not work is told on a first visit', () =>
  visit(async visitor => {
    const page = await visitor.tab('#1.cut')
    await page.getByText(/^The share link does not work/).waitFor()
    await stop(page)
    await page.getByText(/^The share link does not work/).waitFor()
  }))

test('a job that is added is the one whose form is open, in sight', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    await form.getByRole('button', { name: /^vgg / }).click()
    await form.getByRole('button', { name: '+ Job' }).click()
    const row = form.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^resnet50 / }) })
    await expect.poll(() => row.getByRole('button', { expanded: true }).count()).toBe(1)
    expect(await form.getByRole('button', { expanded: true }).count()).toBe(1)
    const box = await row.boundingBox()
    expect(box!.y).toBeLessThan(900)
  }))

test('a tab below the fold comes into sight with its panel', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    await page.getByRole('main').evaluate(main => main.scrollTo(0, 0))
    await page.getByRole('tab', { name: 'Depths' }).click()
    await expect
      .poll(async () => {
        const box = await page.getByRole('tabpanel').boundingBox()
        return box !== null && box.y < 800
      })
      .toBe(true)
  }))
