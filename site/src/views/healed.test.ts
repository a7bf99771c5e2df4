import { expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { healedWords, movedWords, type Side } from './healed'

const { instance, result } = fixture()
const before: Side = { instance, schedule: result.schedule, value: 10_000 }
const names = instance.jobs.map(job => job.name)
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

/** The plan with these jobs on GPUs of their own. */
const moved = (...jobs: number[]): Side => ({
  ...before,
  schedule: {
    ...before.schedule!,
    residency: before.schedule!.residency.map((gpus, j) =>
      jobs.includes(j) ? gpus.map(g => g + 100) : gpus,
    ),
  },
})

it('tells which jobs run elsewhere', () => {
  expect(movedWords(before, before)).toBe('every job stays on its GPUs')
  expect(movedWords(before, moved(0))).toBe(`${names[0]} runs on other GPUs than before`)
  expect(movedWords(before, moved(0, 2))).toBe(`${names[0]} and ${names[2]} run on other GPUs than before`)
  expect(movedWords(before, moved(0, 1, 2))).toBe(
    `${names[0]}, ${names[1]} and ${names[2]} run on other GPUs than before`,
  )
  expect(plain(movedWords(before, moved(...names.keys())))).toMatch(/^all \d+ jobs run on other GPUs/)
  // GPUs are known by their nodes: where one less comes before them, their numbers are others.
  const later = {
    ...before,
    instance: {
      ...instance,
      nodes: instance.nodes.map(node => ({ ...node, first_gpu: node.first_gpu + 100 })),
    },
  }
  expect(movedWords(before, { ...moved(...names.keys()), instance: later.instance })).toBe(
    'every job stays on its GPUs',
  )
})

it('tells what it costs, by the clock', () => {
  const words = (after: Side) => plain(healedWords(before, after, 'makespan'))
  expect(words({ ...before, value: 11_000 })).toContain('the plan is 10.0 % worse: 10.00 s → 11.00 s.')
  expect(words({ ...before, value: 9_000 })).toContain('the plan is 10.0 % better')
  expect(words(before)).toContain('as good as before')
  const halved = { ...before, instance: { ...instance, tick_us: instance.tick_us / 2 }, value: 20_000 }
  expect(words(halved)).toContain('as good as before')
  expect(plain(healedWords(before, { ...before, value: 9_000 }, 'throughput'))).toContain('10.0 % worse')
  expect(words({ ...before, schedule: null })).toBe('')
})
