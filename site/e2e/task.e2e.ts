// The main question of the page, asked by mouse alone and by keyboard alone:
// 4 nodes of 8 GPUs, six ResNets and three BERTs. What does partial backpropagation gain, what would
// a faster network, and what if a GPU fails?
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { exampleText, faults, settled, shoot, short, stop, useBrowser, visit, withScenario } from './harness'

useBrowser()

const gainOf = (page: Page) =>
  page
    .getByRole('region', { name: 'Numbers' })
    .getByText(/^Partial backpropagation \(SPB\) ends sooner than full depth by [\d.]+/)

/** Waits for a plan of the given jobs and GPUs and for the gain from SPB, and stops the search. */
async function plannedWith(page: Page, what: string): Promise<void> {
  await expect.poll(() => page.getByRole('application').getAttribute('aria-label')).toContain(what)
  await gainOf(page).waitFor()
  await stop(page)
}

/** A change that the page offers, by its name. */
const change = (page: Page, name: RegExp) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })

/** The gain from SPB and the remaining gap are shown; the questions about a faster network and a failed GPU are answered. */
async function answered(page: Page): Promise<void> {
  await gainOf(page).waitFor()
  expect(await page.getByRole('region', { name: 'Numbers' }).innerText()).toMatch(
    /no plan can be (more than|as much as) .* better|no plan is better/,
  )
  for (const name of [/the network$/, /a GPU of r0n0 fails/]) {
    await change(page, name)
      .getByRole('button', { name: /^Apply/ })
      .waitFor()
    expect(await change(page, name).innerText()).toMatch(/\ss → .*\ss/)
  }
}

/** The GPU failed in the scenario, and the jobs were replanned. */
async function healed(page: Page): Promise<void> {
  await page.getByText('A GPU of r0n0 fails.').waitFor()
  await plannedWith(page, '9 jobs on 31')
  await expect
    .poll(() => page.locator('.healing').innerText())
    .toMatch(/run on other GPUs than before|stays on its GPUs/)
  await gainOf(page).waitFor()
}

test('what would I gain is answered by mouse', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    const slide = async (name: string, value: number) => {
      const slider = form.getByRole('slider', { name: `${name}, slider` })
      await slider.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await slider.boundingBox())!
      const [min, max] = [Number(await slider.getAttribute('min')), Number(await slider.getAttribute('max'))]
      const thumb = 16
      const at = (value: number) => x + thumb / 2 + ((width - thumb) * (value - min)) / (max - min)
      await page.mouse.move(at(Number(await slider.inputValue())), y + height / 2)
      await page.mouse.down()
      await page.mouse.move(at(value), y + height / 2, { steps: 2 })
      await page.mouse.up()
      expect(await slider.inputValue(), name).toBe(String(value))
    }
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
    await plannedWith(page, '9 jobs on 32')
    for (const name of [/the network$/, /a GPU of r0n0 fails/])
      await change(page, name)
        .getByRole('button', { name: /^Try it/ })
        .click()
    await answered(page)
    await change(page, /the network$/).scrollIntoViewIfNeeded()
    await shoot(page, 'task')
    await change(page, /a GPU of r0n0 fails/)
      .getByRole('button', { name: /^Apply/ })
      .click()
    await healed(page)
  }))

test('what would I gain is answered by keyboard alone, on other GPUs', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement as HTMLInputElement | null
        return (at?.ariaLabel ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? '').trim()
      })
    const go = async (to: RegExp) => {
      for (let i = 0; i < 250; i++) {
        await page.keyboard.press('Tab')
        if (to.test(await focused())) return
      }
      throw new Error(`Tab never came to ${to}`)
    }
    const press = async (key: string, times = 1) => {
      for (let i = 0; i < times; i++) await page.keyboard.press(key)
    }
    /** Chooses in the focused list, once it has the entry, by typing its first letters: a slow page forgets earlier letters, so they are typed again until the choice is right. */
    const choose = async (words: string | RegExp, letters: string) => {
      await page.locator('select:focus option').getByText(words).first().waitFor({ state: 'attached' })
      await expect
        .poll(
          async () => {
            await page.keyboard.type(letters)
            return page.locator('select:focus').inputValue()
          },
          { interval: 1500 },
        )
        .toBe(letters)
    }
    await go(/^GPU$/)
    await choose(/^a100/, 'a100')
    await go(/^Nodes per rack, slider/)
    await press('ArrowRight', 2)
    await go(/^GPUs per node, slider/)
    await press('ArrowRight', 4)
    for (const job of ['inception', 'translate', 'alex']) {
      await go(new RegExp(`^Remove ${job}`))
      await press('Enter')
    }
    for (const [job, model, copies] of [
      ['resnet', 'resnet152', 6],
      ['vgg', 'bert_large', 3],
    ] as const) {
      await go(new RegExp(`^${job}.*, 4`))
      await press('Enter')
      await go(/^Model$/)
      // Models measured on other GPUs are marked.
      await page.getByText('resnet101 (on v100 only)').waitFor({ state: 'attached' })
      await choose(model, model)
      await go(/^Copies, slider/)
      await press('ArrowRight', copies - 1)
      await page.getByText(`${copies} × ${model}, 4`).waitFor()
    }
    await plannedWith(page, '9 jobs on 32')
    await go(/^Try it: 4 × the network/)
    await press('Enter')
    await go(/^Try it: a GPU of r0n0 fails/)
    await press('Enter')
    await answered(page)
    await shoot(page, 'task-keyboard')
    await go(/^Apply: a GPU of r0n0 fails/)
    await press('Enter')
    await healed(page)
  }))

test('the switch of SPB shows the same jobs at full depth, and back', () =>
  withScenario(short, async page => {
    await settled(page)
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const makespan = async () => /Makespan\s+([\d.]+)/.exec(await numbers.innerText())?.[1] ?? ''
    const spb = await makespan()
    const gain = gainOf(page)
    const toggle = numbers.getByRole('switch', { name: 'SPB' })
    await toggle.press('Space')
    // During planning the row of the gain stays, and nothing below it moves.
    const line = numbers.locator('.gain')
    expect((await line.innerText()).trim()).not.toMatch(/^SPB$/)
    await expect.poll(async () => Number(await makespan()) / Number(spb)).toBeGreaterThan(1.1)
    await settled(page)
    const full = await makespan()
    expect(await gain.innerText()).toContain(`${full}\u00a0s → ${spb}\u00a0s`)
    await shoot(page, 'full-depth')
    await toggle.click()
    await expect.poll(makespan).toBe(spb)
    await shoot(page, 'spb-moves')
    expect(await gain.innerText()).toContain(`${full}\u00a0s → ${spb}\u00a0s`)
    // It was planned before, and is not planned again.
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
  }))

test('a click on a GPU fails it, the plan heals, and undo takes it back', () =>
  withScenario(short, async page => {
    await settled(page)
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const before = await numbers.innerText()
    const timeline = page.getByRole('application')
    const menu = page.getByRole('menu')
    // It takes the keyboard once it shows.
    const open = async () => {
      await timeline.press('m')
      await menu.getByRole('menuitem').first().and(page.locator(':focus')).waitFor()
    }
    await timeline.click({ position: { x: 20, y: 60 } })
    await menu.getByRole('menuitem', { name: 'r0n0.gpu0 fails' }).waitFor()
    expect(await faults(page)).toEqual([])
    await shoot(page, 'row-menu')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    // By keyboard alone.
    await open()
    expect(await menu.getAttribute('aria-label')).toBe('What may happen to r0n0.gpu0')
    await page.keyboard.press('Enter')
    const healing = page.locator('.healing')
    await healing.getByText('r0n0.gpu0 fails.').waitFor()
    await settled(page)
    await expect
      .poll(() => healing.innerText())
      .toMatch(
        /(on other GPUs than before|stays on its GPUs); the plan is [\d.]+\s% worse: [\d.]+\ss → [\d.]+\ss\. A valid plan; no plan can be/,
      )
    await shoot(page, 'healed')
    // The others keep their names, and it can be restored in the form, too.
    await open()
    expect(await menu.getAttribute('aria-label')).toBe('What may happen to r0n0.gpu1')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Restore GPU r0n0.gpu0' }).waitFor()
    await healing.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => numbers.innerText()).toBe(before)
    await healing.waitFor({ state: 'detached' })
    // A link, which is thinned without touching what else its author wrote.
    await page.getByText('YAML', { exact: true }).click()
    await open()
    await menu.getByRole('menuitem', { name: 'The network is 10 times as fast' }).click()
    await page.locator('.cm-content').getByText('nic: 250Gbit/s').waitFor()
    await page
      .locator('.cm-content')
      .getByText('- {name: a, model: vgg16, workers: 2, iterations: 6}')
      .waitFor()
    await healing.getByText('The network is 10 times as fast.').waitFor()
  }))

test('the tour teaches SPB with plans that are made on the way', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.getByRole('button', { name: 'Take the tour' }).click()
    const tour = page.getByRole('region', { name: 'Tour' })
    /** The makespan that the tour shows, once it fits; during planning none is shown. */
    const time = async (fits: (seconds: number) => boolean) => {
      let seconds = NaN
      await expect
        .poll(async () => {
          seconds = Number(/([\d.]+)\ss/.exec(await tour.innerText())?.[1])
          return fits(seconds)
        })
        .toBe(true)
      return seconds
    }
    await tour.getByText('1 of 5').waitFor()
    const full = await time(seconds => seconds > 12)
    await tour.getByRole('button', { name: 'Next' }).click()
    const spb = await time(seconds => seconds < 0.9 * full)
    expect(await faults(page)).toEqual([])
    await shoot(page, 'tour')
    await tour.getByRole('button', { name: 'Next' }).click()
    await page.getByText('sync of iteration 2').waitFor()
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByText('a bound, proven in exact arithmetic').waitFor()
    await tour.getByRole('button', { name: 'Next' }).click()
    await page.locator('.healing').getByText('A GPU of r0n0 fails.').waitFor()
    await time(seconds => seconds > spb)
    // Back restores the GPU.
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

test('a job that is added is the one whose form is open, and a tab below the fold comes into sight', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    await form.getByRole('button', { name: /^vgg / }).click()
    await form.getByRole('button', { name: '+ Job' }).click()
    const row = form.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^resnet50 / }) })
    await expect.poll(() => row.getByRole('button', { expanded: true }).count()).toBe(1)
    expect(await form.getByRole('button', { expanded: true }).count()).toBe(1)
    const box = await row.boundingBox()
    expect(box!.y).toBeLessThan(900)
    await page.getByRole('region', { name: 'Plan', exact: true }).evaluate(main => main.scrollTo(0, 0))
    await page.getByRole('tab', { name: 'Depths' }).click()
    await expect
      .poll(async () => {
        const box = await page.getByRole('tabpanel').boundingBox()
        return box !== null && box.y < 800
      })
      .toBe(true)
  }))
