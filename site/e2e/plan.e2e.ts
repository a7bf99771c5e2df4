// The main path of a visitor: a plan, a new one after each change, and Stop.

import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  exampleText,
  faults,
  fileOf,
  follow,
  linkTo,
  opened,
  patience,
  planned,
  run,
  settled,
  shoot,
  small,
  stop,
  useBrowser,
  visit,
  withScenario,
} from './harness'

useBrowser()

test('the first plan comes by itself', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    const plan = page.getByRole('region', { name: 'Plan', exact: true })
    expect(await plan.innerText()).toMatch(/no plan can be (more than|as much as)|optimal/)
    expect(await plan.innerText()).toMatch(/certified/)
    // A newcomer sees an introduction until it is closed.
    const welcome = page.getByRole('note', { name: 'What the picture shows' })
    await welcome.getByRole('button', { name: 'add a rush job' }).click()
    await page.getByRole('button', { name: /^rush / }).waitFor()
    await welcome.getByRole('button', { name: /^Close/ }).click()
    await shoot(page, 'plan')
    await page.reload()
    await planned(page)
    expect(await welcome.count()).toBe(0)
  }))

test('a change in the form changes the text, the plan and the bound, and undo takes it back', () =>
  withScenario(small, async page => {
    await settled(page)
    const numbers = page.getByRole('region', { name: 'Plan', exact: true }).getByRole('region').first()
    const before = await numbers.innerText()
    await page.getByRole('slider', { name: 'Nodes per rack, slider' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('r0n1').first().waitFor({ state: 'attached' })
    await settled(page)
    await expect.poll(() => numbers.innerText()).not.toBe(before)
    await page.getByText('Both', { exact: true }).click()
    await page.locator('.cm-content').getByText('nodes: 2').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.cm-content').getByText('nodes: 1').waitFor()
    await settled(page)
    await expect.poll(() => numbers.innerText()).toBe(before)
  }))

test('a job has its batch size, depths and optimizer in form and text alike', () => {
  const text = `version: 1
name: one job
cluster:
  gpu_types:
    - {name: a100, memory: 40GiB}
  racks:
    - {nodes: 1, gpus: 4, gpu: a100, nic: 25Gbit/s, fabric: 400Gbit/s}
jobs:
  - {name: vgg, model: vgg16, batch: 32, workers: 4, iterations: 3}
`
  return withScenario(text, async page => {
    await stop(page)
    await page.getByText('Both', { exact: true }).click()
    await page.getByRole('button', { name: /^vgg / }).click()
    await page.getByText('More', { exact: true }).click()
    const editor = page.locator('.cm-content')
    const depths = page.getByRole('textbox', { name: 'Which depths' })
    await depths.fill('2, 99')
    await page
      .getByText(/depth 99 is not a cut of "vgg16"/)
      .first()
      .waitFor()
    await depths.fill('2, 9')
    await editor.getByText('depths: [2, 9]').waitFor()
    await page.getByLabel('Optimizer').selectOption('adam')
    await editor.getByText('optimizer: adam').waitFor()
    await page.getByText('set: depths, optimizer').waitFor()
    await page.getByLabel('Batch size').selectOption('16')
    await editor.getByText('batch: 16').waitFor()
    await shoot(page, 'job')
    for (let i = 0; i < 9; i++) await page.getByRole('button', { name: 'Undo' }).click({ force: true })
    await expect.poll(() => page.getByLabel('Optimizer').inputValue()).toBe('momentum')
  })
})

test('a mistake in the text is told where it is, and the plan stays', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.getByText('YAML', { exact: true }).first().click()
    const editor = page.locator('.cm-content')
    await editor.getByText('workers: 4').first().click()
    await page.keyboard.press('End')
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.type('nonsense: 1\n')
    await page
      .getByText(/unknown field "nonsense"/)
      .first()
      .waitFor()
    await page.locator('.cm-lintRange-error').first().waitFor()
    await planned(page)
    await shoot(page, 'mistake')
    // The editor's keys and the page's buttons share one history.
    const [undo, redo] = ['Undo', 'Redo'].map(name => page.getByRole('button', { name, exact: true }))
    while (await undo!.isEnabled()) await page.keyboard.press('ControlOrMeta+z')
    await page
      .getByText(/unknown field "nonsense"/)
      .first()
      .waitFor({ state: 'detached' })
    await redo!.click()
    expect(await undo!.isEnabled()).toBe(true)
  }))

test('while a job has a mistake it is marked, jobs keep their colours and links can be cut', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.locator('.job-title').first().click()
    const workers = page.getByRole('textbox', { name: 'Workers', exact: true })
    await workers.fill('0')
    await page.locator('[role=tooltip]:popover-open').getByText('A whole number, at least 1.').waitFor()
    await workers.fill('40')
    await page.getByText('40 workers exceed the 8 GPUs').first().waitFor()
    expect(await page.locator('.job .wrong').count()).toBe(1)
    expect(await page.locator('.job .swatch rect').count()).toBe(5)
    expect(await page.getByLabel('Cut links').isEnabled()).toBe(true)
    // The plan that stays is marked as an earlier one, and is as legible.
    await page.getByRole('region', { name: 'Numbers' }).getByText('Earlier plan').waitFor()
    expect(await faults(page)).toEqual([])
    // The problem takes space below the form, and does not hide the field.
    const field = (await workers.boundingBox())!
    const problems = (await page.getByRole('region', { name: 'Problems' }).boundingBox())!
    expect(field.y + field.height).toBeLessThanOrEqual(problems.y + 1)
  }))

test('a problem leads to its field, also to one that is folded away; where there is none, to its line', () => {
  const text = small.replace('name: b, ', 'name: b, deadline: soon, ').replace('version: 1', 'verison: 1')
  return withScenario(text, async page => {
    const problems = page.getByRole('region', { name: 'Problems' })
    await problems.getByRole('button', { name: /deadline/ }).click()
    const deadline = page.getByRole('textbox', { name: 'Deadline', exact: true })
    await expect.poll(() => deadline.evaluate(at => at === document.activeElement)).toBe(true)
    expect(await page.getByRole('radio', { name: 'Form' }).isChecked()).toBe(true)
    await problems.getByRole('button', { name: /verison/ }).click()
    await page.locator('.cm-content').waitFor()
    expect(await page.getByRole('radio', { name: 'YAML' }).isChecked()).toBe(true)
  })
})

test('Stop keeps the best plan so far', () =>
  withScenario(exampleText('quickstart'), async page => {
    await planned(page)
    await page.getByLabel('Effort').selectOption('16×')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.waitForTimeout(1500)
    await stop(page)
    expect(await page.getByRole('region', { name: 'Plan', exact: true }).innerText()).toMatch(/Makespan\s+\d/)
    // The engine is ready for the next plan.
    await follow(page, linkTo({ text: small }))
    await opened(page, 'small')
    await settled(page)
  }))

// One scenario of each kind of view; make soak opens all of them.
const kinds = process.env.SOAK ? /^Open / : /^Open (queue|fair-share|policy|burst|moldable|infeasible)\b/

test('the gallery shows every plan in small, and scenarios open and are planned, and so is what breaks them', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const numbers = await page.getByRole('region', { name: 'Numbers' }).innerText()
    const gallery = page.getByRole('dialog', { name: 'Gallery' })
    const menu = page.getByRole('button', { name: 'Gallery', exact: true })
    await menu.click()
    const cards = gallery.locator('.card')
    // The first is in sight, the last is not: it is made once it is scrolled into sight.
    await cards.first().locator('.thumbnail.drawn').waitFor()
    expect(await cards.last().locator('.thumbnail').innerText()).toBe('')
    for (const card of await cards.all()) {
      await card.scrollIntoViewIfNeeded()
      await card.locator('.thumbnail.drawn').or(card.getByText('No plan exists')).waitFor()
    }
    await cards.last().getByText('No plan exists').waitFor()
    const blank = await cards
      .first()
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
        return new Set(new Uint32Array(data.buffer)).size < 10
      })
    expect(blank).toBe(false)
    await cards.first().scrollIntoViewIfNeeded()
    await shoot(page, 'gallery')
    const openers = await gallery
      .getByRole('button', { name: /^Open/ })
      .evaluateAll(buttons => buttons.map(button => button.getAttribute('aria-label') ?? ''))
    expect(openers.length).toBeGreaterThanOrEqual(24)
    // The current plan was not affected.
    await page.keyboard.press('Escape')
    expect(await page.getByRole('region', { name: 'Numbers' }).innerText()).toBe(numbers)
    const some = openers.filter(opener => kinds.test(opener))
    expect(some.length).toBeGreaterThanOrEqual(12)
    for (const opener of some) {
      await menu.click()
      await gallery.getByRole('button', { name: opener, exact: true }).click()
      const name = /^Open ([\w-]+)/.exec(opener)?.[1] ?? ''
      await opened(page, name)
      const plan = page
        .getByLabel(`Timeline of ${name}`)
        .or(page.locator('.reasons'))
        .or(page.getByRole('region', { name: 'Burst-parallel jobs' }))
        .first()
      await page.locator('.plan-view:not(.stale)').filter({ has: plan }).waitFor()
      await page.keyboard.press('Escape')
    }
  }))

test('an infeasible scenario says why', () =>
  withScenario(exampleText('quickstart'), async page => {
    await planned(page)
    await page.keyboard.press('g')
    await page.getByRole('button', { name: 'Open infeasible', exact: true }).click()
    await page
      .getByRole('region', { name: 'Plan', exact: true })
      .getByText(/deadline/)
      .first()
      .waitFor()
    // The offered change makes a plan possible.
    const mend = page.getByRole('region', { name: 'What would fix it' })
    const later = mend.getByRole('button', { name: /^Deadline: .* for job "rush"$/ })
    await later.waitFor()
    expect(await faults(page)).toEqual([])
    await shoot(page, 'infeasible')
    // There is nothing to pin, and no progress over time.
    await page.keyboard.press('p')
    await page.getByRole('status').getByText('There is no plan to pin.').waitFor()
    const panel = page.getByRole('tabpanel')
    await page.getByRole('tab', { name: 'Compare' }).click()
    await panel.getByText('There is no plan to pin.').waitFor()
    await page.getByRole('tab', { name: 'Failures' }).click()
    await panel.getByText('There is no plan that a failure could harm.').waitFor()
    expect(await panel.getByRole('button').count()).toBe(0)
    await page.getByRole('tab', { name: 'Progress' }).click()
    await panel.getByText('neither was found').waitFor()
    const times = await panel.locator('svg text').allTextContents()
    expect(new Set(times).size).toBe(times.length)
    await page.getByRole('tab', { name: 'Explain' }).click()
    await later.click()
    await planned(page)
    expect(await page.getByRole('region', { name: 'Plan', exact: true }).innerText()).toMatch(/Makespan\s+\d/)
    expect(await mend.count()).toBe(0)
    await page.getByText('YAML', { exact: true }).click()
    await page
      .locator('.cm-content')
      .getByText(/name: rush.*deadline: \d+s/)
      .waitFor()
  }))

test('two plans are compared on one axis', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.keyboard.press('p')
    await page.getByRole('slider', { name: 'GPUs per node, slider' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Compare' }).click()
    await page.getByText('Completion of each job').waitFor()
    const table = page.getByRole('tabpanel').getByRole('table').first()
    // The change may not have been planned yet: then the plan is compared with itself.
    await expect
      .poll(() => table.innerText(), { timeout: patience })
      .toMatch(/Makespan\s+[\d.]+\s+s\s+[\d.]+\s+s\s+▼/)
    await stop(page)
    await shoot(page, 'compare')
  }))

test('compared plans can be moved while something is selected', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.keyboard.press('p')
    const plans = page.getByRole('tabpanel').getByRole('application')
    await plans.nth(1).press('Enter')
    await page.getByRole('button', { name: 'Clear the selection' }).first().waitFor()
    for (let i = 0; i < 4; i++) await plans.nth(1).press('w')
    for (let i = 0; i < 40; i++) await plans.nth(1).press('d')
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const link = await page.getByRole('textbox', { name: /^Link/ }).inputValue()
    const { range } = JSON.parse(
      inflateRawSync(Buffer.from(link.split('#3.')[1] ?? '', 'base64url')).toString(),
    )
    // Ticks of milliseconds: the first task, which is selected, is far to the left.
    expect(range.from).toBeGreaterThan(2000)
  }))

test('the explanation predicts, and verifies by solving anew', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.getByRole('tab', { name: 'Explain' }).click()
    await page.getByRole('button', { name: 'Try it' }).first().click()
    await page.getByRole('tabpanel').getByRole('button', { name: /Apply/i }).first().waitFor()
    await shoot(page, 'explain')
    await page.getByRole('tab', { name: 'Progress' }).click()
    await shoot(page, 'progress')
    await page.getByRole('tab', { name: 'Depths' }).click()
    await page.getByRole('tabpanel').getByRole('combobox').first().waitFor()
    await shoot(page, 'depths')
  }))

test('where GPUs have prices the plan has a cost, as on the command line', () => {
  const priced = small.replace('memory: 32GiB', 'memory: 32GiB, price_per_hour: 3600')
  return withScenario(priced, async page => {
    await settled(page)
    const { cost } = JSON.parse(await run('plan', fileOf('priced.yaml', priced), '-o', 'json'))
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const shown = /Cost\s+([\d.]+)\s≥\s([\d.]+)/.exec(await numbers.innerText())
    expect(Number(shown?.[1])).toBeCloseTo(cost.plan, 2)
    expect(Number(shown?.[2])).toBeCloseTo(cost.at_least, 2)
    await shoot(page, 'cost')
  })
})
