// Scenarios to start from, each with its lesson and a way to break it: a change of the text
// like those of the forms, which is visible and can be undone.

import { fields, freshName, list, text as textOf } from '../spec'
import { insert, type Json, move, parse, set } from '../yaml/patch'
import type { Path } from '../yaml/path'

export interface GalleryEntry {
  name: string
  lesson: string
  text: string
  twist: Twist
}

export interface Twist {
  label: string
  apply: (text: string) => string
}

const files = import.meta.glob<string>(['../../../../testdata/examples/*.yaml', './*.yaml'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

const put =
  (path: Path, value: Json) =>
  (text: string): string =>
    set(text, path, value)

const cutLinks = (...names: string[]) => put(['cluster', 'failed_links'], names)
const memory = (value: string) => put(['cluster', 'gpu_types', 0, 'memory'], value)

/** A further job that comes first in the file. */
const rush =
  (job: { [key: string]: Json }) =>
  (text: string): string => {
    const names = list(fields(parse(text)).jobs).map(other => textOf(fields(other).name))
    return insert(text, ['jobs'], 0, { ...job, name: freshName(textOf(job.name) || 'rush', names) })
  }

/** In the order of the gallery: from simple to special. */
const twists: Record<string, Twist> = {
  quickstart: {
    label: 'Add a rush job',
    apply: rush({ name: 'rush', model: 'vgg16', workers: 8, iterations: 3, deadline: '5s' }),
  },
  rack: { label: 'Cut a node off', apply: cutLinks('r0n0.up', 'r0n0.down') },
  'full-depth': {
    label: 'Allow partial depths for vgg',
    apply: put(['jobs', 0, 'spb'], { rule: 'free', min_mean_depth: 0.5 }),
  },
  hetero: {
    label: 'Slow the P100s down',
    apply: put(['cluster', 'gpu_types', 1, 'profiled_as', 0, 'speed'], 0.3),
  },
  'tight-memory': { label: 'Halve the memory', apply: memory('8GiB') },
  'finetune-7b': { label: 'Halve the memory', apply: memory('40GiB') },
  'pretrain-70b': { label: 'Cut a node off', apply: cutLinks('r0n0.up', 'r0n0.down') },
  'tensor-parallel': {
    label: 'One network card per node',
    apply: put(['cluster', 'racks', 0, 'nic'], '400Gbit/s'),
  },
  'thin-network': { label: 'Cut a rack off', apply: cutLinks('r0.up') },
  neighbours: {
    label: 'Slow the network down',
    apply: put(['cluster', 'racks', 0, 'nic'], '2.5Gbit/s'),
  },
  weighted: {
    label: 'Add a rush job',
    apply: rush({ name: 'rush', model: 'vgg16', workers: 4, iterations: 10, weight: 20 }),
  },
  arrivals: {
    label: 'Evening job first',
    apply: text => move(set(text, ['jobs', 4, 'release'], undefined), ['jobs'], 4, 0),
  },
  gang: { label: 'Gang-schedule the loose job too', apply: put(['jobs', 2, 'gang'], true) },
  periodic: { label: 'Take a GPU from each node', apply: put(['cluster', 'racks', 0, 'gpus'], 3) },
  'fair-share': { label: 'Halve the GPUs of a node', apply: put(['cluster', 'racks', 0, 'gpus'], 2) },
  crossing: {
    label: 'Oversubscribe 16 to 1',
    apply: put(['cluster', 'racks', 0, 'oversubscription'], 16),
  },
  policy: { label: 'Cut the firewall off', apply: cutLinks('spine0-firewall.fwd') },
  queue: {
    label: 'Keep all jobs in memory all the time',
    apply: text => set(set(text, ['residence'], undefined), ['cluster', 'load_rate'], undefined),
  },
  night: { label: 'Take half of the nodes away', apply: put(['cluster', 'racks', 0, 'nodes'], 32) },
  burst: { label: 'Tighten the GPU-time limit', apply: put(['jobs', 0, 'amplification'], 1.2) },
  moldable: { label: 'Slow the network down', apply: put(['cluster', 'racks', 0, 'nic'], '2.5Gbit/s') },
  infeasible: { label: 'Fix it: a later deadline', apply: put(['jobs', 0, 'deadline'], '40s') },
}

const fileOf = (name: string): string =>
  Object.entries(files).find(([path]) => path.endsWith(`/${name}.yaml`))?.[1] ?? ''

export const gallery: readonly GalleryEntry[] = Object.entries(twists).map(([name, twist]) => {
  const text = fileOf(name)
  // Found by a regular expression: parsing all files takes long, and this runs before the first plan.
  return { name, lesson: /^lesson: (.*)$/m.exec(text)?.[1] ?? '', text, twist }
})

/** The name of the command line's example with this text. */
export const exampleOf = (text: string): string | undefined =>
  Object.keys(files)
    .find(path => files[path] === text && path.includes('/examples/'))
    ?.replace(/^.*\/|\.yaml$/g, '')

/** The scenario that opens by default. */
export const first = fileOf('quickstart')
