// Plans on hundreds of GPUs: an overview of nodes, and rows on request.
import { expect, test } from 'vitest'
import { faults, shoot, stop, useBrowser, withScenario } from './harness'

useBrowser()

const large = `version: 1
name: large
tick_us: 20000
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{count: 4, nodes: 16, gpus: 8, gpu: v100, nic: 100Gbit/s, fabric: 1200Gbit/s}]
jobs:
  - {name: alex, count: 30, model: alexnet, workers: 8, iterations: 6}
  - {name: residual, count: 30, model: resnet50, workers: 8, iterations: 3}
`

test('512 GPUs show as heat of nodes, and those of a node on demand', () =>
  withScenario(large, async page => {
    await stop(page)
    const nodes = page.getByRole('region', { name: 'Timeline of large, nodes' })
    await nodes.getByText('Click a node, or drag over several').waitFor()
    expect(await nodes.getByRole('application').count()).toBe(0)
    await shoot(page, 'large')
    // Drag over three rows.
    const heat = nodes.getByRole('img', { name: /how busy 64 nodes are/ })
    const box = (await heat.boundingBox())!
    const row = (box.height - 22) / 64
    await page.mouse.move(box.x + 300, box.y + 20 + 4.5 * row)
    await page.mouse.down()
    await page.mouse.move(box.x + 300, box.y + 20 + 6.5 * row, { steps: 3 })
    await page.mouse.up()
    await nodes.getByRole('application', { name: /on 24 GPUs/ }).waitFor()
    // The chain is there when it is asked for.
    await nodes.getByRole('button', { name: 'Critical chain', pressed: false }).waitFor()
    expect(await faults(page)).toEqual([])
    await shoot(page, 'large-rows')
    // By keyboard: one node of the list.
    await nodes.getByRole('combobox', { name: /^GPUs of/ }).selectOption({ index: 10 })
    await nodes.getByRole('application', { name: /on 8 GPUs/ }).waitFor()
    await nodes.getByRole('button', { name: 'Overview only' }).click()
    expect(await nodes.getByRole('application').count()).toBe(0)
  }))
