import { expect, it } from 'vitest'
import { wrongsOf } from './wrongs'

const problem = (path: string, message: string) => ({ path, message, line: 1, column: 1 })

it('puts what is wrong to the jobs that it is in', () => {
  const wrongs = wrongsOf([
    problem('cluster.racks[0].nic', 'no speed'),
    problem('jobs[10].spb.min_full', 'too many'),
    problem('jobs[1]', 'no name'),
    problem('jobs[10].workers', 'none'),
    problem('jobs', 'missing'),
  ])
  expect([...wrongs]).toEqual([
    [10, 'spb.min_full: too many\nworkers: none'],
    [1, 'no name'],
  ])
})
