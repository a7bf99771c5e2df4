// Which job is the same from one reading of a scenario to the next: jobs are identified by name, because
// adding or removing a job shifts the indices of all after it.
import type { Compiled } from '../engine/api'
import { COLOURS, giveColours, jobColours } from '../timeline/palette'

/** The index of a job of one instance in another; null if it is gone. */
export function placeOf(former: Compiled, next: Compiled): (job: number) => number | null {
  return job => {
    const name = former.jobs[job]?.name
    const place = next.jobs.findIndex(other => other.name === name)
    return place < 0 ? null : place
  }
}

/** Gives the jobs of an instance the colours that they had in the previous one; new jobs get free colours. */
export function keepColours(former: Compiled | null, next: Compiled): void {
  if (!former || next.jobs.length > COLOURS.length || former.jobs.length > COLOURS.length) return
  const colours = jobColours(former)
  const had = new Map(former.jobs.map((job, j) => [job.name, colours[j]!]))
  const taken = new Set(next.jobs.map(job => had.get(job.name)))
  const free = [...COLOURS.keys()].filter(colour => !taken.has(colour))
  giveColours(
    next,
    next.jobs.map(job => had.get(job.name) ?? free.shift() ?? 0),
  )
}
