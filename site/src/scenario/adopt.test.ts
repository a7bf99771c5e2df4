import { expect, it } from 'vitest'
import { adopt } from './adopt'
import { type Json, parse } from './yaml/patch'

const text = `# The cluster of the lab.
cluster:
  racks:
    - {nodes: 2, gpus: 4, nic: 25Gbit/s} # bought in May
  exceptions:
    - {node: r0n1, gpus: 3}
jobs:
  - name: a # the first
    workers: 4
  - name: b
`

it('writes what differs, and leaves the rest as it was', () => {
  const before = parse(text) as { [key: string]: Json }
  const after = structuredClone(before) as never as {
    cluster: { racks: { nic: string }[]; exceptions: Json[]; latency?: string }
    jobs: { workers?: number; disabled?: boolean }[]
  }
  after.cluster.racks[0]!.nic = '100Gbit/s'
  after.cluster.exceptions.push({ node: 'r0n0', gpus: 3 })
  after.jobs[0]!.workers = 3
  after.jobs[1]!.disabled = true
  const next = adopt(text, before, after as never)
  expect(parse(next)).toEqual(after)
  for (const kept of ['# The cluster of the lab.', '# bought in May', '# the first', 'nic: 100Gbit/s'])
    expect(next).toContain(kept)
  expect(adopt(text, before, before)).toBe(text)
  // Back to what was there before.
  expect(parse(adopt(next, after as never, before))).toEqual(before)
})

it('takes away what is no longer there', () => {
  const before = parse(text) as { [key: string]: Json }
  const { jobs, cluster } = structuredClone(before) as never as { jobs: Json[]; cluster: { racks: Json[] } }
  const after = { jobs: jobs.slice(0, 1), cluster: { racks: cluster.racks } }
  expect(parse(adopt(text, before, after))).toEqual(after)
})

it('leaves a text alone that cannot be read', () => {
  expect(adopt('{', {}, { jobs: [] })).toBe('{')
})
