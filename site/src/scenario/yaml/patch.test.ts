import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { duplicate, insert, type Json, move, parse, set } from './patch'
import type { Path } from './path'

const text = `# A cluster of ours.
version: 1
name: demo # in reports
cluster:
  gpu_types:
    - {name: v100, memory: 32GiB}
  racks:
    # The old rack.
    - {nodes: 2, gpus: 4, gpu: v100,   nic: 25Gbit/s}
  latency: 100us
jobs:
  # The urgent one.
  - {name: vgg, model: vgg16, workers: 4} # twice a day
  - name: resnet
    model: resnet50
    workers: 4
    spb:
      rule: free
      min_full: 1

  # Of the vision group.
  # Ask them first.
  - {name: "a, b", model: gnmt, workers: 2}
# The end.
`

describe('set', () => {
  it.each<[string, Path, Json | undefined, string, string]>([
    ['replaces a scalar in place', ['name'], 'other', 'name: demo #', 'name: other #'],
    ['replaces inside of braces', ['cluster', 'racks', 0, 'nodes'], 16, '{nodes: 2,', '{nodes: 16,'],
    ['quotes where it must', ['jobs', 0, 'name'], 'x: {y}', '{name: vgg,', '{name: "x: {y}",'],
    ['adds to braces', ['jobs', 0, 'weight'], 3, 'workers: 4} #', 'workers: 4, weight: 3} #'],
    [
      'adds to a block',
      ['cluster', 'failed_links'],
      ['n0-up'],
      'latency: 100us\n',
      'latency: 100us\n  failed_links: [n0-up]\n',
    ],
    [
      'adds to the end of a nested block',
      ['jobs', 1, 'spb', 'cuts'],
      2,
      'min_full: 1\n',
      'min_full: 1\n      cuts: 2\n',
    ],
    ['adds after a nested block', ['jobs', 1, 'weight'], 2, 'min_full: 1\n', 'min_full: 1\n    weight: 2\n'],
    [
      'makes parents',
      ['jobs', 0, 'spb', 'rule'],
      'full',
      'workers: 4} #',
      'workers: 4, spb: {rule: full}} #',
    ],
    [
      'removes from braces',
      ['jobs', 0, 'model'],
      undefined,
      '{name: vgg, model: vgg16, workers',
      '{name: vgg, workers',
    ],
    ['removes the first in braces', ['jobs', 0, 'name'], undefined, '{name: vgg, model', '{model'],
    ['removes the last in braces', ['jobs', 0, 'workers'], undefined, 'vgg16, workers: 4}', 'vgg16}'],
    ['removes lines', ['jobs', 1, 'spb'], undefined, '    spb:\n      rule: free\n      min_full: 1\n', ''],
    [
      'removes an entry with its comment',
      ['jobs', 2],
      undefined,
      '  # Of the vision group.\n  # Ask them first.\n  - {name: "a, b", model: gnmt, workers: 2}\n',
      '',
    ],
    ['leaves alone what lacks', ['jobs', 0, 'deadline'], undefined, '', ''],
    ['leaves alone what lacks with all above it', ['jobs', 0, 'spb', 'cuts'], undefined, '', ''],
  ])('%s', (_, path, value, from, to) => {
    expect(set(text, path, value)).toBe(text.replace(from, to))
  })

  it('falls back to the tree where the place is unusual', () => {
    const aliased = 'base: &b {memory: 32GiB}\nother: *b\n'
    // The others of its kind stay.
    const jobs = 'jobs:\n  - {name: a, spb: &s {rule: free}}\n  - {name: b, spb: *s}\n'
    const spb = (text: string) => (parse(text) as { jobs: { spb?: unknown }[] }).jobs.map(job => job.spb)
    expect(spb(set(jobs, ['jobs', 1, 'spb', 'cuts'], 3))).toEqual([
      { rule: 'free' },
      { rule: 'free', cuts: 3 },
    ])
    expect(spb(set(jobs, ['jobs', 1, 'spb', 'rule'], undefined))).toEqual([{ rule: 'free' }, {}])
    // What one stood for has gone, or comes later.
    expect(spb(set(jobs, ['jobs', 0], undefined))).toEqual([{ rule: 'free' }])
    expect(spb(set(jobs, ['jobs', 0, 'spb'], { rule: 'full' }))).toEqual([{ rule: 'full' }, { rule: 'free' }])
    expect(spb(move(jobs, ['jobs'], 0, 1))).toEqual([{ rule: 'free' }, { rule: 'free' }])
    expect(parse(set(aliased, ['other'], 5))).toEqual({ base: { memory: '32GiB' }, other: 5 })
    expect(parse(set('a: |\n  x\n  y\nb: 2\n', ['a'], 'z'))).toEqual({ a: 'z', b: 2 })
    expect(parse(set('- name: x\n', [0, 'name'], undefined))).toEqual([{}])
  })

  it('fills an empty value', () => {
    expect(set('a:\nb: 1\n', ['a'], 7)).toBe('a: 7\nb: 1\n')
    expect(parse(set('a:\nb: 1\n', ['a', 'c'], 7))).toEqual({ a: { c: 7 }, b: 1 })
    expect(parse(set('a: x\n', ['a', 0, 'c'], 7))).toEqual({ a: [{ c: 7 }] })
  })
  it('copes without a last newline', () => expect(set('a: 1', ['b'], 2)).toBe('a: 1\nb: 2\n'))
  it('leaves a broken text alone', () => expect(set('a: [1', ['a'], 2)).toBe('a: [1'))
})

describe('lists', () => {
  it('moves an entry with its comments', () => {
    const moved = move(text, ['jobs'], 2, 0)
    expect(moved).toContain(
      'jobs:\n  # Of the vision group.\n  # Ask them first.\n  - {name: "a, b", model: gnmt, workers: 2}\n  # The urgent one.\n',
    )
    expect(moved.endsWith('min_full: 1\n\n# The end.\n')).toBe(true)
    expect(parse(move(moved, ['jobs'], 0, 2))).toEqual(parse(text))
  })

  it('copies an entry under another name', () => {
    const copied = duplicate(text, ['jobs'], 1, { name: 'resnet-2' })
    expect((parse(copied) as { jobs: { name: string }[] }).jobs.map(job => job.name)).toEqual([
      'vgg',
      'resnet',
      'resnet-2',
      'a, b',
    ])
    expect(copied).toContain('# in reports')
  })

  it('appends an entry', () => {
    const job = { name: 'new', model: 'bert24', workers: 1 }
    expect(insert(text, ['jobs'], 3, job)).toBe(
      text.replace('# The end.', '  - {name: new, model: bert24, workers: 1}\n# The end.'),
    )
  })

  it('starts a list that lacks or is empty', () => {
    expect(parse(insert('a: 1\n', ['b'], 0, 'x'))).toEqual({ a: 1, b: ['x'] })
    expect(parse(insert('b: []\n', ['b'], 0, 'x'))).toEqual({ b: ['x'] })
    expect(parse(insert('b: [y]\n', ['b'], 0, 'x'))).toEqual({ b: ['x', 'y'] })
  })
})

describe('every scalar of every example', () => {
  const folder = '../testdata/examples'
  for (const file of readdirSync(folder).filter(name => name.endsWith('.yaml')))
    it(file, () => {
      const source = readFileSync(`${folder}/${file}`, 'utf8')
      const paths: Path[] = []
      const walk = (value: Json, path: Path) => {
        if (typeof value !== 'object' || value === null) paths.push(path)
        else
          for (const [key, inner] of Object.entries(value))
            walk(inner, [...path, Array.isArray(value) ? Number(key) : key])
      }
      walk(parse(source) as Json, [])
      expect(paths.length).toBeGreaterThan(20)
      // Of alike rows of a long file some are enough.
      for (const path of paths.filter((_, i) => i < 100 || i % 50 === 0)) {
        const changed = set(source, path, 'zz')
        // Nothing but this value: the same lines otherwise.
        const before = source.split('\n')
        const after = changed.split('\n')
        expect(after.length).toBe(before.length)
        expect(after.filter((line, i) => line !== before[i])).toHaveLength(1)
        const removed = set(source, path, undefined)
        expect(removed.length).toBeLessThan(source.length)
        expect(parse(removed)).toBeDefined()
      }
    }, 60_000)
})
