import { expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { entries } from './Legend'

it('says which job gets no iteration', () => {
  const { instance, result } = fixture()
  const schedule = result.schedule!
  expect(entries(instance, schedule).map(({ text }) => text)).toEqual(instance.jobs.map(job => job.name))
  const job = schedule.tasks.job.map(j => (j === 1 ? 0 : j))
  const [, starved] = entries(instance, { ...schedule, tasks: { ...schedule.tasks, job } })
  expect(starved?.text).toBe(`${instance.jobs[1]!.name}: no iteration`)
})
