// Burst-parallel and moldable jobs: the page shows what the command line plans.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  example,
  exampleText,
  faults,
  fileOf,
  planned,
  run,
  settled,
  shoot,
  title,
  useBrowser,
  visit,
  withScenario,
} from './harness'

useBrowser()

test('burst-parallel jobs are planned as by the command line, and drawn', () =>
  withScenario(exampleText('burst'), async page => {
    const view = page.getByRole('region', { name: 'Burst-parallel jobs' })
    const said = JSON.parse(await run('plan', 'burst', '-o', 'json'))
    const cells = async (name: string) =>
      (await view.getByRole('table', { name }).getByRole('row').allInnerTexts())
        .slice(1)
        .map(row => row.split('\t').map(cell => cell.trim()))
    const table = view.getByRole('table', { name: 'Burst-parallel jobs' })
    await table.waitFor()
    const ms = (time: string) => `${Number.parseFloat(time).toPrecision(4)}\u00a0ms`
    expect(await cells('Burst-parallel jobs')).toEqual(
      said.jobs.map((job: Record<string, string> & { slowdown: number; stages: { gpus: number }[] }) => [
        job.name,
        job.node,
        ...[job.time_on_one_gpu, job.time_data_parallel, job.time, job.gpu_time, job.period].map(t =>
          ms(t ?? ''),
        ),
        `${job.slowdown.toFixed(3)}×`,
        job.stages.map(stage => stage.gpus).join(' → '),
      ]),
    )
    expect((await cells('Background jobs')).map(row => [row[0], row[1], row[3]])).toEqual(
      said.background.map((job: { name: string; node: string; rate_of_alone: number }) => [
        job.name,
        job.node,
        `${(100 * job.rate_of_alone).toFixed(1)}\u00a0%`,
      ]),
    )
    await view.getByText(`Background jobs get ${said.background_rate.toPrecision(4)} GPUs`).waitFor()
    // One period of each: steps of layers, and slices of the background.
    expect(await view.getByRole('img', { name: /^One period of/ }).count()).toBe(2)
    await view
      .getByRole('img', { name: /^One period of vgg/ })
      .getByText('backward')
      .first()
      .waitFor()
    expect(await faults(page)).toEqual([])
    // Theirs is no choice.
    expect(await page.getByLabel('Objective').count()).toBe(0)
    await shoot(page, 'bursts')

    // A change is planned at once; a mistake is reported; another scenario is planned as usual.
    const before = await table.innerText()
    const form = page.getByRole('form', { name: 'Scenario form' })
    await form.getByRole('button', { name: /^vgg / }).click()
    await form.getByRole('slider', { name: 'Amplification, slider' }).fill('1.2')
    await expect.poll(() => table.innerText()).not.toBe(before)
    await form.getByRole('slider', { name: 'GPUs, slider' }).fill('64')
    await page.getByText('The scenario has problems: fix them to get a plan.').waitFor()
    await page
      .getByText(/no node .* that has 64 GPUs/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await table.waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => table.innerText()).toBe(before)
    await page.keyboard.press('g')
    await page
      .getByRole('dialog', { name: 'Gallery' })
      .getByRole('button', { name: 'Open quickstart', exact: true })
      .click()
    await planned(page)
    await page.getByRole('application').waitFor()
    expect(await view.count()).toBe(0)
  }))

test('burst-parallel jobs fit a phone, in the dark', () =>
  visit(
    async visitor => {
      const page = await visitor.tab(example('burst'))
      const view = page.getByRole('region', { name: 'Burst-parallel jobs' })
      await view.getByRole('table', { name: 'Burst-parallel jobs' }).waitFor()
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways).toBeLessThanOrEqual(0)
      expect(await faults(page)).toEqual([])
      await shoot(page, 'bursts-phone')
    },
    {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      deviceScaleFactor: 2,
      colorScheme: 'dark',
    },
  ))

const moldable = `version: 1
name: moldable
cluster:
  gpu_types: [{name: a100, memory: 40GiB}]
  racks: [{nodes: 2, gpus: 4, gpu: a100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: vgg, model: vgg16, batch: 64, moldable: [2, 4, 8], iterations: 3}
  - {name: other, model: vgg16, batch: 32, moldable: [1, 2], iterations: 3}
`

test('workers of moldable jobs are chosen as by the command line, and then planned', () =>
  withScenario(moldable, async page => {
    const file = fileOf('moldable.yaml', moldable)
    const { workers } = JSON.parse(await run('plan', file, '--quick', '-o', 'json'))
    const chosen = page.getByRole('region', { name: 'Workers of moldable jobs' })
    await chosen.getByText(`Workers chosen: vgg ${workers.vgg}, other ${workers.other}`).waitFor()
    await chosen.getByText(/no plan ends before .*, by exact arithmetic/).waitFor()
    // The plan with them, and all the others in a table.
    await chosen.getByRole('application', { name: /^Timeline of moldable/ }).waitFor()
    // In colours that the jobs of the form have, too.
    const swatches = page.getByRole('form', { name: 'Scenario form' }).locator('.job-title .swatch rect')
    expect(new Set(await swatches.evaluateAll(all => all.map(one => one.getAttribute('fill')))).size).toBe(2)
    const choices = chosen.getByRole('table', { name: 'Numbers of workers' })
    const tried = /quick plans of (\d) of\s6\scombinations/.exec((await chosen.textContent()) ?? '')
    expect(await choices.getByRole('row').count()).toBe(1 + Number(tried?.[1]))
    await choices
      .getByRole('row', { name: `vgg ${workers.vgg}, other ${workers.other}` })
      .getByText('chosen')
      .waitFor()
    expect(await faults(page)).toEqual([])
    await shoot(page, 'moldable')
    // Without numbers of workers the scenario is exported as written, with a note about what is missing.
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.getByText(/“Plan with these” adds them/).waitFor()
    expect(await dialog.getByRole('button', { name: /^MPS/ }).isDisabled()).toBe(true)
    const saved = page.waitForEvent('download')
    await dialog.getByRole('button', { name: /^JSON/ }).click()
    expect(JSON.parse(readFileSync(await (await saved).path(), 'utf8')).name).toBe('moldable')
    await page.keyboard.press('Escape')
    await chosen.getByRole('button', { name: 'Plan with these' }).press('Enter')
    await settled(page)
    expect(await title(page).inputValue()).toBe('moldable')
    await page.getByText(`vgg16, ${workers.vgg} × 3`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await chosen.waitFor()
  }))
