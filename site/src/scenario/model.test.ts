import { describe, expect, it } from 'vitest'
import { modelName, noScenario, profilesIn, withModel, withProfiles } from './model'
import { parse } from './yaml/patch'

const profile = (gpu: string) => ({
  model: 'mine',
  gpu,
  batch: 1,
  estimated: 'llama: of "figures"',
  layers: [
    { name: 'embedding', forward: '1ms', backward: '2ms', parameters: 1000 },
    { name: 'head', forward: '3ms', backward: '4ms' },
  ],
})
const source = `# mine
jobs:
  - {name: mine, model: x}
`

describe('a model of sliders', () => {
  it('comes into the scenario with its profiles, which say that they are estimated, and a job', () => {
    const next = withModel(source, [profile('h100'), profile('a100')], {
      workers: 8,
      gpus: 1,
      batch: 2,
      large: true,
    })
    expect(next.startsWith('# mine\n')).toBe(true)
    expect(parse(next)).toEqual({
      jobs: [
        { name: 'mine', model: 'x' },
        {
          name: 'mine-2',
          model: 'mine',
          batch: 2,
          workers: 8,
          iterations: 10,
          optimizer: 'adam',
          sharding: 'zero3',
        },
      ],
      profiles: [profile('h100'), profile('a100')],
    })
    const more = parse(withModel(next, [profile('v100')], { workers: 1, gpus: 2, batch: 1, large: false }))
    expect((more as { profiles: unknown[] }).profiles).toHaveLength(3)
    expect((more as { jobs: unknown[] }).jobs.at(-1)).toMatchObject({ gpus_per_worker: 2 })
  })
  it('comes as a file of profiles as well, one or several', () => {
    const library = JSON.stringify([profile('h100'), profile('a100')])
    expect(parse(withProfiles(source, profilesIn(library)))).toEqual({
      jobs: [{ name: 'mine', model: 'x' }],
      profiles: [profile('h100'), profile('a100')],
    })
    expect(profilesIn(JSON.stringify(profile('v100')))).toEqual([profile('v100')])
    expect(profilesIn(withProfiles('', [profile('v100')]))).toEqual([profile('v100')])
    // A scenario may have profiles of its own.
    for (const other of [withProfiles(source, [profile('v100')]), '[]', 'profiles: 3', '- layers', '{'])
      expect(profilesIn(other)).toEqual([])
  })
  it('has a name of its own', () => {
    expect(modelName('llama', { profiles: [{ model: 'llama' }] }, ['bert', 'llama-2'])).toBe('llama-3')
  })
})

it.each([
  [{ model_type: 'llama', hidden_size: 4096 }, 'config.json'],
  [{ schema_version: 1, schedule: {} }, 'plan'],
  [{ residency: {}, tasks: [] }, 'plan'],
  [{ version: 3, kind: 'chain', bound: 9022 }, 'proof'],
  [{ version: 1, cluster: {}, jobs: [] }, ''],
  [{ layers: [] }, ''],
  [[{ model: 'vgg16', layers: [{}] }], ''],
  [[1], 'YAML or JSON'],
  ['', 'empty'],
  ['# nothing yet\n\n', 'empty'],
  ['# tonight\nname,model,workers,hours\na,vgg16,4,2\n', 'list of jobs'],
  [
    '{"name": "a", "model": "vgg16", "workers": 4}\n{"name": "b", "model": "vgg16", "workers": 4}\n',
    'list of jobs',
  ],
  [JSON.stringify([{ name: 'a', model: 'vgg16', workers: 4, hours: 2 }], null, 2), 'list of jobs'],
  [JSON.stringify({ version: 1, jobs: [{ model: 'vgg16', workers: 4 }] }, null, 2).slice(0, -1), ''],
  ['version: 1\ncluster: {}\njobs: [{name: a, model: vgg16, workers: 4}]\n', ''],
  ['{version: 1, jobs: [{name: a, model: vgg16, workers: 4}]}', ''],
  ['jobs: [{model: vgg16, workers: 4}', ''],
  ['hello, world', 'YAML or JSON'],
])('says what %j is that is no scenario', (file, said) => {
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  expect(noScenario(text).includes(said)).toBe(true)
  expect(noScenario(text) === '').toBe(said === '')
})
