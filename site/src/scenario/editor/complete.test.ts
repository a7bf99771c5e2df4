import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { complete, type Names } from './complete'

const schema = JSON.parse(readFileSync('../formulation/instance/codec/instance.schema.json', 'utf8'))
const names: Names = { models: ['vgg16', 'bert24'], gpuTypes: ['v100'], links: ['n0-up'] }

/** Completes at the bar. */
const at = (text: string) => {
  const cursor = text.indexOf('|')
  const whole = text.replace('|', '')
  const wordStart = cursor - (/[\w-]*$/.exec(whole.slice(0, cursor))?.[0].length ?? 0)
  return complete(whole, wordStart, cursor, schema, names).map(option => option.label)
}

describe('complete', () => {
  it('offers the keys that lack', () => {
    const top = at('version: 1\nname: x\n|')
    expect(top).toContain('cluster')
    expect(top).not.toContain('name')
    expect(at('version: 1\njobs:\n  - name: x\n    mo|\n')).toContain('model')
    expect(at('jobs:\n  - {name: x, |}\n')).toContain('workers')
    expect(at('jobs:\n  - {name: x, |}\n')).not.toContain('name')
    expect(at('jobs:\n  - |\n')).toContain('name')
    expect(at('jobs:\n  - name: x\n    spb:\n      |\n')).toContain('min_full')
    expect(at('cluster:\n  racks:\n    - {nodes: 1, ni|}\n')).toContain('nic')
  })

  it('offers the values that are listed or named', () => {
    expect(at('objective: |\n')).toContain('weighted_completion')
    expect(at('objective: mak|\njobs: []\n')).toContain('makespan')
    expect(at('jobs:\n  - {name: x, model: |, workers: 2}\n')).toEqual(['vgg16', 'bert24'])
    expect(at('jobs:\n  - {name: x, spb: {rule: fr|}}\n')).toEqual(['full', 'ladder', 'free'])
    expect(at('jobs:\n  - {name: x, gang: |}\n')).toEqual(['true', 'false'])
    expect(at('cluster:\n  racks:\n    - {gpu: |}\n')).toEqual(['v100'])
    expect(at('cluster:\n  failed_links: [|]\n')).toEqual(['n0-up'])
  })

  it('offers nothing where nothing is known', () => {
    expect(at('name: |\n')).toEqual([])
    expect(at('nonsense:\n  - |\n')).toEqual([])
  })
})
