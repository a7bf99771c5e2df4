import { expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { sceneOf } from '../../test/plans'
import { buildModel } from './model'
import { between, carry } from './morph'

const { instance, result } = fixture()
const schedule = result.schedule!
const scene = sceneOf(buildModel(instance, schedule))
const { tasks } = schedule

/** The same plan twice as long, with the jobs in the opposite order, without the first one's last iteration. */
const other = () => {
  const jobs = instance.jobs.toReversed()
  const job = tasks.job.map(j => jobs.length - 1 - j)
  const keep = [...job.keys()].filter(i => job[i] !== 0 || tasks.iteration[i]! < jobs[0]!.iterations)
  const pick = <T extends Int32Array | Float64Array>(list: T) => list.filter((_, i) => keep.includes(i)) as T
  return buildModel(
    { ...instance, digest: 'other', jobs },
    {
      ...schedule,
      residency: schedule.residency.toReversed(),
      spans: schedule.spans.toReversed(),
      tasks: {
        job: pick(job),
        iteration: pick(tasks.iteration),
        gpu: pick(tasks.gpu),
        depth: pick(tasks.depth),
        start: pick(tasks.start).map(t => 2 * t),
        end: pick(tasks.end).map(t => 2 * t),
      },
      syncs: { ...schedule.syncs, job: schedule.syncs.job.map(j => jobs.length - 1 - j) },
    },
  )
}

it('tasks start where the same ones were, and end where they belong', () => {
  const next = sceneOf(other())
  const back = carry(next, scene.model)!
  const there = carry(scene, next.model)!
  expect([...there.x].some(Number.isNaN)).toBe(false)
  const name = (s: typeof scene, i: number) => {
    const t = s.model.schedule.tasks
    return `${s.model.instance.jobs[t.job[i]!]!.name} ${t.iteration[i]} ${t.gpu[i]}`
  }
  const old = new Map([...tasks.job.keys()].map(i => [name(scene, i), i]))
  const start = between(scene, { from: carry(scene, scene.model)!, at: 0 })
  const end = between(next, { from: there, at: 1 })
  const straight = between(next, { from: carry(next, next.model)!, at: 0.3 })
  for (let i = 0; i < there.x.length; i++) {
    const was = old.get(name(next, i))!
    for (const side of ['x', 'y', 'w'] as const) {
      expect(there[side][i]).toBe(start[side][was])
      expect(end[side][i]).toBeCloseTo(straight[side][i]!)
    }
  }
  // What was not there before has no place to come from, and is where it belongs.
  const lost = [...back.x.keys()].filter(i => Number.isNaN(back.x[i]!))
  expect(lost.length).toBeGreaterThan(0)
  const shown = between(scene, { from: back, at: 0 })
  for (const i of lost) expect(shown.x[i]).toBe(start.x[i])
})

it('nothing moves between a plan that repeats and one that does not, or of too many tasks', () => {
  const periodic = fixture({ periodic: true, tasks: 120, seed: 5 })
  expect(carry(scene, buildModel(periodic.instance, periodic.result.schedule!))).toBeNull()
  const large = fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 9000, seed: 3 })
  expect(carry(scene, buildModel(large.instance, large.result.schedule!))).toBeNull()
})
