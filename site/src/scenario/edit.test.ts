import { readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { ScenarioText } from '../state/text'
import { ScenarioEdit } from './edit'
import { fields, freshName, list, modelsOf, specOf, text as textOf } from './spec'
import { type Json, parse } from './yaml/patch'

let source: ScenarioText
let edit: ScenarioEdit
beforeEach(() => {
  source = new ScenarioText(`# kept\n${readFileSync('../testdata/examples/quickstart.yaml', 'utf8')}`)
  edit = new ScenarioEdit(source)
})
const spec = () => fields(parse(source.text.value))
const names = () => list(spec().jobs).map(job => textOf(fields(job).name))

it('adds, copies, moves and removes jobs', () => {
  edit.addJob('vgg16')
  expect(names()).toEqual(['vgg', 'resnet', 'inception', 'translate', 'alex', 'vgg16'])
  edit.addJob('vgg16')
  edit.copyJob(0)
  edit.copyJob(0)
  expect(names()).toEqual([
    'vgg',
    'vgg-copy-2',
    'vgg-copy',
    'resnet',
    'inception',
    'translate',
    'alex',
    'vgg16',
    'vgg16-2',
  ])
  edit.moveJob(0, 8)
  edit.moveJob(0, -1)
  edit.moveJob(0, 9)
  expect(names().at(-1)).toBe('vgg')
  edit.removeJob(8)
  expect(names()).not.toContain('vgg')
  expect(source.text.value).toMatch(/^# kept\n/)
})

it('leaves the last job', () => {
  for (let i = 0; i < 9; i++) edit.removeJob(0)
  expect(names()).toEqual(['alex'])
})

it('cuts and mends links', () => {
  const failed = () => fields(spec().cluster).failed_links
  edit.fail('failed_links', 'r0n0.up', true)
  edit.fail('failed_links', 'r0n0.up', true)
  edit.fail('failed_links', 'r0n1.up', true)
  expect(failed()).toEqual(['r0n0.up', 'r0n1.up'])
  edit.fail('failed_links', 'r0n0.up', false)
  edit.fail('failed_links', 'r0n1.up', false)
  expect(failed()).toBeUndefined()
})

it('changes the GPU of a cluster wherever it stands', () => {
  edit.setGPU(0, 'a100', '80GiB')
  const cluster = fields(spec().cluster)
  expect(list(cluster.gpu_types).map(fields)[0]).toMatchObject({ name: 'a100', memory: '80GiB' })
  expect(list(cluster.racks).map(rack => fields(rack).gpu)).toEqual(['a100'])
  edit.setGPU(0, 'own', undefined)
  expect(list(fields(spec().cluster).gpu_types).map(fields)[0]).toMatchObject({
    name: 'own',
    memory: '80GiB',
  })
})

it('does not write what is so by default', () => {
  edit.setUnless(['jobs', 0, 'weight'], 5, 1)
  expect(source.text.value).toContain('weight: 5')
  edit.setUnless(['jobs', 0, 'weight'], 1, 1)
  expect(source.text.value).not.toContain('weight')
})

it('changes the model together with its batch size', () => {
  const job = () => list(spec().jobs)[0]
  edit.setModel(0, 'wide', new Map([[1, [8, 16, 32]]]))
  expect(job()).toMatchObject({ model: 'wide', batch: 32 })
  edit.set(['jobs', 0, 'batch'], 8)
  edit.setModel(0, 'wider', new Map([[1, [4, 8]]]))
  expect(job()).toMatchObject({ model: 'wider', batch: 8 })
  edit.setModel(0, 'narrow', new Map([[1, [64]]]))
  expect(job()).toMatchObject({ model: 'narrow' })
  expect(job()).not.toHaveProperty('batch')
  // And with workers that it is profiled for: those there are where that can be.
  const grouped = new Map([
    [2, [1]],
    [8, [1, 2]],
  ])
  edit.setModel(0, 'large', grouped)
  expect(job()).toMatchObject({ model: 'large', gpus_per_worker: 2 })
  edit.set(['jobs', 0, 'gpus_per_worker'], 8)
  edit.setModel(0, 'larger', grouped)
  expect(job()).toMatchObject({ model: 'larger', gpus_per_worker: 8, batch: 2 })
  edit.setModel(0, 'narrow', new Map([[1, [64]]]))
  expect(job()).not.toHaveProperty('gpus_per_worker')
})

it('has depths or their number, not both', () => {
  const spb = () => fields(fields(list(spec().jobs)[0]).spb)
  edit.set(['jobs', 0, 'spb', 'cuts'], 3)
  edit.setDepths(0, [4, 8, 16])
  expect(spb()).toEqual({ depths: [4, 8, 16] })
  edit.setDepths(0, [4])
  expect(spb()).toEqual({ depths: [4] })
  edit.setDepths(0, [])
  expect(spb()).toEqual({})
})

it('knows what each model is profiled on, and its batch sizes on the GPUs there are', () => {
  const profile = (model: string, gpu: string, batch: number, gpus = 1, estimated = '') => ({
    model,
    gpu,
    batch,
    gpus,
    estimated,
  })
  const library = [
    profile('b', 'v100', 64),
    profile('b', 'v100', 8),
    profile('b', 'a100', 1, 1, 'by figures'),
    profile('a', 'a100', 2, 1, 'by figures'),
    profile('a', 'a100', 1, 8, 'by figures'),
  ]
  const of = () => Object.fromEntries(modelsOf(spec(), library))
  expect(of()).toEqual({
    a: { sizes: new Map(), gpus: ['a100'], measured: false },
    b: { sizes: new Map([[1, [8, 64]]]), gpus: ['a100', 'v100'], measured: true },
  })
  edit.set(['cluster', 'gpu_types', 0, 'profiled_as'], [{ gpu: 'a100' }])
  edit.set(['profiles'], [profile('own', 'a100', 4)])
  expect(of()).toMatchObject({
    a: {
      sizes: new Map([
        [1, [2]],
        [8, [1]],
      ]),
    },
    b: { sizes: new Map([[1, [1]]]) },
    own: { sizes: new Map([[1, [4]]]), gpus: ['a100'] },
  })
})

it('adds a rack group like the last', () => {
  edit.addRack()
  const racks = list(fields(spec().cluster).racks)
  expect(racks).toHaveLength(2)
  expect(racks[1]).toEqual(racks[0])
})

it('writes nothing into a text that is not YAML', () => {
  source.edit('jobs: [')
  edit.addJob('vgg16')
  edit.set(['name'], 'x')
  expect(source.text.value).toBe('jobs: [')
})

it('shows the last file that could be read, and why it is not the one there is', () => {
  const view = specOf(source.text)
  expect(view.value.stale).toBe('')
  source.edit(`${source.text.value}\n]`)
  expect(view.value).toMatchObject({ stale: 'broken', spec: { name: 'quickstart' } })
  source.edit(`name: x # ${'x'.repeat(100_000)}`)
  expect(view.value.stale).toBe('large')
  // Aliases that would expand without end, and nesting without end.
  source.edit(
    `a: &a [x]\n${Array.from({ length: 20 }, (_, i) => `${'b'.repeat(i + 1)}: &${'b'.repeat(i + 1)} [${Array(9).fill(i ? `*${'b'.repeat(i)}` : '*a')}]`).join('\n')}`,
  )
  expect(view.value.stale).toBe('broken')
  source.edit('['.repeat(20_000))
  expect(view.value.stale).toBe('broken')
})

it('copes with parts of the wrong kind', () => {
  for (const value of [null, 1, 'x', [], {}] as Json[]) {
    expect(list(fields(value).jobs)).toEqual([])
    expect(textOf(fields(value).name)).toBe('')
  }
})

it('finds fresh names', () => {
  expect(freshName('a', [])).toBe('a')
  expect(freshName('a', ['a', 'a-2'])).toBe('a-3')
})
