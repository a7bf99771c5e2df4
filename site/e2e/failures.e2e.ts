// What the failure of each link and node would do: examined, stopped, applied, and undone.
import { expect, test } from 'vitest'
import {
  everyFailure,
  example,
  exampleText,
  faults,
  fileOf,
  planned,
  run,
  settled,
  shoot,
  short,
  stop,
  useBrowser,
  visit,
  withScenario,
} from './harness'

useBrowser()

test('every failure is looked at, as by the command line, and one is made and undone', () =>
  withScenario(short, async page => {
    await settled(page)
    const panel = await everyFailure(page)
    const table = panel.getByRole('table', { name: 'Failures, the greatest harm first' })
    await table.waitFor()
    const said = JSON.parse(await run('resilience', fileOf('short.yaml', short), '-o', 'json'))
    const rows = await table.getByRole('rowheader').allInnerTexts()
    const harmful = said.harm.filter((h: { touched: string[] }) => h.touched.length > 0)
    expect(rows).toEqual(
      harmful.map(({ failures: [f] }: { failures: { link?: string; node?: string }[] }) =>
        f!.node ? `node ${f!.node}` : `link ${f!.link}`,
      ),
    )
    const cells = await table.getByRole('row').nth(1).innerText()
    // Ticks of 10 ms.
    expect(cells).toContain(`${(said.harm[0].repaired / 100).toPrecision(4)}\u00a0s`)
    // The picture is the command line's.
    const picture = panel.getByRole('img', { name: /^The network: each link and node/ })
    expect(await picture.locator('[data-link], [data-node]').count()).toBe(said.cases)
    expect(await faults(page)).toEqual([])
    await panel.scrollIntoViewIfNeeded()
    await shoot(page, 'failures')

    // By pointer in the picture, then by keyboard in the table.
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const before = await numbers.innerText()
    const healing = page.locator('.healing')
    await picture.locator('[data-node=r0n1]').click()
    await healing.getByText('Node r0n1 fails.').waitFor()
    await settled(page)
    await expect.poll(() => healing.innerText()).toMatch(/the plan is [\d.]+\s% worse/)
    await shoot(page, 'failures-made')
    await healing.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => numbers.innerText()).toBe(before)
    // What was found is still there.
    await table.getByRole('button', { name: 'Let link r0n1.fabric fail' }).press('Enter')
    await healing.getByText('Link r0n1.fabric fails.').waitFor()
    await healing.getByRole('button', { name: 'Undo' }).press('Enter')
    await table.waitFor()
  }))

test('a look at many failures can be stopped, and shows those that were looked at', () =>
  visit(
    async visitor => {
      const page = await visitor.tab(example('rack'))
      await stop(page)
      await page.getByRole('tab', { name: 'Failures' }).click()
      const panel = page.getByRole('tabpanel')
      await panel.getByRole('button', { name: 'Look at every failure' }).press('Enter')
      await expect
        .poll(() => panel.locator('progress').getAttribute('value'), { interval: 20 })
        .toMatch(/^[1-9]/)
      await panel.getByRole('button', { name: 'Stop looking' }).press('Enter')
      await panel.getByText(/^Stopped after \d+ of 32\./).waitFor()
      await panel.getByRole('button', { name: 'Look again' }).click()
      await panel.getByText(/^12\sfailures affect no job/).waitFor()
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways).toBeLessThanOrEqual(0)
      expect(await faults(page)).toEqual([])
      await panel.getByRole('img', { name: /^The network: each link and node/ }).scrollIntoViewIfNeeded()
      await shoot(page, 'failures-phone')
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  ))

test('where no route obeys the policy that is said', () =>
  withScenario(
    exampleText('policy'),
    async page => {
      await planned(page)
      await stop(page)
      const panel = await everyFailure(page)
      await panel.getByText('Why there is no plan then').waitFor()
      await panel
        .getByText(/link spine0-firewall.fwd: .*polic/)
        .first()
        .waitFor()
      await panel.getByRole('img').first().scrollIntoViewIfNeeded()
      await shoot(page, 'failures-policy')
    },
    { colorScheme: 'dark' },
  ))
