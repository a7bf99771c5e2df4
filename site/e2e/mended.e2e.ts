// Regression tests for defects found by visitors.
import { expect, test } from 'vitest'
import { exampleText, planned, run, stop, useBrowser, Visitor, visit, withScenario } from './harness'

useBrowser()

test('what is selected is a job, whichever comes before it, and jobs keep their colours', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const legend = page.getByRole('list', { name: 'Jobs', exact: true })
    await legend.getByRole('button', { name: 'resnet' }).click()
    const colours = () =>
      legend
        .getByRole('button')
        .evaluateAll(buttons =>
          buttons.map(b => [b.textContent?.trim(), b.querySelector('rect')?.getAttribute('fill')]),
        )
    const before = await colours()
    await page.getByRole('button', { name: 'Remove vgg' }).click()
    await legend.getByRole('button', { name: 'vgg' }).waitFor({ state: 'detached' })
    expect(await legend.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['resnet'])
    expect(await colours()).toEqual(before.slice(1))
    await page.getByRole('button', { name: 'Undo' }).click()
    await legend.getByRole('button', { name: 'vgg' }).waitFor()
    expect(await legend.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['resnet'])
    expect(await colours()).toEqual(before)
  }))

test('the quick and the thorough plan keep jobs in place where they can', async () => {
  // The page makes the plans of the command line: same.e2e.ts.
  for (const quick of [['--quick'], []]) {
    const { schedule } = JSON.parse(await run('plan', 'quickstart', '--seed', '0', '-o', 'json', ...quick))
    expect(schedule.residency.vgg, quick[0] ?? 'thorough').toEqual([0, 1, 2, 3])
  }
})

test('only what limits the plan is offered to be changed', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const changes = page.getByRole('table', { name: 'Changes of the cluster and what they do' })
    await changes.waitFor()
    const names = await changes.getByRole('rowheader').allInnerTexts()
    expect(names).toContainEqual(expect.stringMatching(/^\+1 v100 in r0n0/))
    // Neither memory nor a link is short.
    expect(names.join()).not.toMatch(/memory|fabric|\.up|\.down/)
  }))

test('what was said is not said for ever, and p pins from a slider', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    await page.getByRole('slider', { name: 'Nodes per rack, slider' }).focus()
    await page.keyboard.press('p')
    const status = page.locator('.status')
    await expect.poll(() => status.textContent()).toMatch(/^Pinned/)
    expect(await page.getByRole('tab', { name: 'Compare', selected: true }).count()).toBe(1)
    await expect.poll(() => status.textContent()).not.toMatch(/^Pinned/)
    // In a text field it is a letter.
    const name = page.getByRole('textbox', { name: 'Name', exact: true }).first()
    await name.press('End')
    await name.press('p')
    expect(await name.inputValue()).toBe('quickstartp')
  }))

test('units are the same everywhere, and a slip of YAML is told with its line', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    expect(await page.getByRole('region', { name: 'Numbers' }).innerText()).toMatch(
      /Weighted completion\s+[\d.]+\ss\s×\sweight/,
    )
    await page.keyboard.press('g')
    await page.getByRole('button', { name: 'Open infeasible', exact: true }).click()
    await page
      .getByRole('region', { name: 'Plan', exact: true })
      .getByText(/at least 17\.02\ss, the deadline is 12\ss/)
      .first()
      .waitFor()
    await page.getByText('YAML', { exact: true }).first().click()
    await page.locator('.cm-content').click()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.type('a: [b\n')
    await page
      .getByRole('region', { name: 'Problems' })
      .getByRole('button', { name: /^1.*not valid YAML/ })
      .waitFor()
  }))

test('while the planner loads, how much of it has come is told', () =>
  visit(async visitor => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await visitor.context.route(/\/first-data[^/]*\.wasm$/, async route => {
      await held
      await route.continue()
    })
    const page = await visitor.tab()
    await page.getByText(/Loading the planner: [1-9]\d?\s%/).waitFor()
    release()
    await planned(page)
  }))

test('without WebAssembly, or without a network, what can be done is told', async () => {
  const old = await Visitor.come()
  await old.context.addInitScript(() => {
    Object.defineProperty(globalThis, 'WebAssembly', { value: undefined })
  })
  const page = await old.tab()
  await page
    .getByText(/this browser has no WebAssembly.*open the page in another browser/)
    .first()
    .waitFor()
  await old.context.close()
  const off = await Visitor.come()
  await off.context.route(/\.wasm$/, route => route.abort())
  const other = await off.tab()
  await other
    .getByText(/check that there is a network and that the server is running, then reload/)
    .first()
    .waitFor()
  await off.context.close()
})

test('a job that is typed in the editor leaves the focus there, though the form of another is open', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    await form.getByRole('button', { name: /^vgg / }).click()
    await page.getByText('Both', { exact: true }).click()
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('  -')
    // The form shows it.
    await expect.poll(() => form.locator('.jobs > li').count()).toBe(6)
    await page.keyboard.type(' {name: typed')
    await page.locator('.cm-content').getByText('typed').waitFor()
  }))
