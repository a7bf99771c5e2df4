// A model that was not measured, described in the page.
import { expect, test } from 'vitest'
import { faults, planned, settled, shoot, stop, useBrowser, withScenario } from './harness'

useBrowser()

const cluster = `version: 1
name: own model
tick_us: 10000
cluster:
  gpu_types: [{name: h100, memory: 80GiB}]
  racks: [{nodes: 1, gpus: 8, gpu: h100, nic: 400Gbit/s, fabric: 3600Gbit/s}]
jobs:
  - {name: bert, model: bert_large, workers: 2, iterations: 2, optimizer: adam}
`

test('a Llama described with sliders is planned on H100s, and marked as estimated', () =>
  withScenario(cluster, async page => {
    await page.getByRole('button', { name: '+ Model…' }).click()
    const dialog = page.getByRole('dialog', { name: 'A model by its dimensions' })
    await dialog.getByLabel('Start from').selectOption('llama-8b')
    const estimates = dialog.getByRole('list', { name: 'Estimates' })
    await estimates.getByText('8.03 G parameters').waitFor()
    // A slider moves, and the estimate with it: 16 layers of 32.
    const layers = dialog.getByRole('slider', { name: 'Layers, slider' })
    await layers.fill('16')
    await estimates.getByText('4.54 G parameters').waitFor()
    expect(await faults(page)).toEqual([])
    await shoot(page, 'model')
    // Impossible values are reported.
    const heads = dialog.getByRole('textbox', { name: 'Heads', exact: true })
    await heads.fill('31')
    await dialog.getByText(/does not divide by 31 heads/).waitFor()
    expect(await dialog.getByRole('button', { name: 'Add to the scenario' }).isEnabled()).toBe(false)
    await heads.fill('32')
    await estimates.getByText('4.54 G parameters').waitFor()
    await dialog.getByRole('button', { name: 'Add to the scenario' }).click()
    await page.getByRole('button', { name: /^llama-8b / }).waitFor()
    // A run that is stopped before it has a plan leaves the previous plan.
    const timeline = page.getByRole('region', { name: 'Timeline of own model' })
    await timeline.getByRole('button', { name: 'llama-8b' }).waitFor()
    await stop(page)
    await page.getByRole('button', { name: /^llama-8b / }).click()
    await page
      .getByLabel('Model', { exact: true })
      .getByText('llama-8b (estimated)')
      .waitFor({ state: 'attached' })
    await page.getByText('YAML', { exact: true }).first().click()
    await page.locator('.cm-content').getByText('sharding: zero3').waitFor()
  }))

test('a config.json sets the sliders, which keep what else it says', () =>
  withScenario(cluster, async page => {
    await planned(page)
    await page.getByRole('button', { name: '+ Model…' }).click()
    const dialog = page.getByRole('dialog', { name: 'A model by its dimensions' })
    const config = {
      model_type: 'mixtral',
      num_local_experts: 8,
      num_experts_per_tok: 2,
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 14336,
      vocab_size: 32000,
    }
    await dialog.getByLabel('Or a config.json').setInputFiles({
      name: 'mixtral-8x7b.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(config)),
    })
    await dialog.getByText('46.7 G parameters (12.9 G active per token)').waitFor()
    // A file that is not a config is reported, and changes nothing.
    await dialog.getByLabel('Or a config.json').setInputFiles({
      name: 'weights.safetensors',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(2_000_000),
    })
    await dialog.getByRole('alert').getByText('at most 1000000 are read').waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('mixtral-8x7b')
    await expect.poll(() => dialog.getByLabel('Family').inputValue()).toBe('mixtral')
    const layers = dialog.getByRole('textbox', { name: 'Layers', exact: true })
    expect(await layers.inputValue()).toBe('32')
    await layers.fill('4')
    await dialog.getByText('6.07 G parameters (1.84 G active per token)').waitFor()
    await dialog.getByRole('button', { name: 'Add to the scenario' }).click()
    await page.getByRole('button', { name: /^mixtral-8x7b / }).waitFor()
    await settled(page)
  }))

test('a file of profiles that is dropped on the page comes into the scenario', () =>
  withScenario(cluster, async page => {
    await stop(page)
    const profile = {
      model: 'mine',
      gpu: 'h100',
      batch: 4,
      layers: [
        { name: 'body', forward: '10ms', backward: '20ms', parameters: '100MiB', activations: '10MiB' },
        { name: 'head', forward: '1ms', backward: '2ms', parameters: '1MiB', activations: '1MiB' },
      ],
    }
    const drop = (name: string, content: string) =>
      page.evaluate(
        ([name, content]) => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File([content!], name!))
          document.body.dispatchEvent(
            new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
          )
        },
        [name, content],
      )
    await drop('mine.json', JSON.stringify({ version: 1, profiles: [profile] }))
    await page.getByText('Profiles of mine are in the scenario').waitFor()
    await page.getByRole('button', { name: /^bert / }).click()
    await page.getByLabel('Model', { exact: true }).selectOption('mine')
    await settled(page)
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('mine')
    expect(await page.getByText(/^\d+ problem/).count()).toBe(0)
    // A scenario opens.
    await drop('other.yaml', cluster.replace('own model', 'dropped'))
    await page.getByRole('region', { name: 'Timeline of dropped' }).waitFor()
  }))

test('models of several GPUs a worker are chosen like others', () =>
  withScenario(cluster, async page => {
    await stop(page)
    await page.getByRole('button', { name: /^bert / }).click()
    await page.getByLabel('Model', { exact: true }).selectOption('llama3_70b')
    await page.getByText('More', { exact: true }).click()
    const group = page.getByRole('textbox', { name: 'GPUs per worker', exact: true })
    await page.getByText(/this model has one for 1 and 8/).waitFor({ state: 'attached' })
    await group.fill('8')
    await group.press('Enter')
    await page.getByText('YAML', { exact: true }).first().click()
    await page.locator('.cm-content').getByText('gpus_per_worker: 8').waitFor()
    // And described by figures.
    await page.getByText('Form', { exact: true }).first().click()
    await page.getByRole('button', { name: '+ Model…' }).click()
    const dialog = page.getByRole('dialog', { name: 'A model by its dimensions' })
    const estimate = dialog.getByRole('list', { name: 'Estimates' })
    await estimate.getByText(/forward/).waitFor()
    const alone = await estimate.innerText()
    await dialog.getByRole('slider', { name: 'GPUs per worker, slider' }).press('ArrowRight')
    await expect.poll(() => estimate.innerText()).not.toBe(alone)
    await shoot(page, 'model-grouped')
  }))
