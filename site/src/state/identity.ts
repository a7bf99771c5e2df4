// What stays the same job from one reading of a scenario to the next: names tell, for a job
// that comes or goes shifts the places of all after it.
import type { Compiled } from '../engine/api'
import { COLOURS, giveColours, jobColours } from '../timeline/palette'

/** Where a job of one instance is in another; null where it is gone. */
export function placeOf(former: Compiled, next: Compiled): (job: number) => number | null {
  return job => {
    const name = former.jobs[job]?.name
    const place = next.jobs.findIndex(other => other.name === name)
    return place < 0 ? null : place
  }
}

/** Gives the jobs of an instance the colours that they had in the former one; new ones take those that are free. */
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
