// The colours that a job of the file has in the timeline: one for each of its copies, a few at most.
import type { Sound } from '../../state/store'
import { COLOURS, jobColours } from '../../timeline/palette'
import { fields, list, text } from '../spec'
import type { Json } from '../yaml/patch'

const most = 4

/** By the job's name in the file, because jobs are added, removed and moved while there are mistakes. */
export function coloursOf(sound: Sound | null): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  if (!sound) return byName
  const names = list(fields(sound.spec as Json).jobs).map(job => text(fields(job).name))
  const colours = jobColours(sound.instance)
  sound.instance.jobs.forEach((job, j) => {
    const name = names[job.source] ?? ''
    const own = byName.get(name) ?? []
    const colour = COLOURS[colours[j]!]!
    if (own.length < most && !own.includes(colour)) own.push(colour)
    byName.set(name, own)
  })
  return byName
}

export function Swatch({ colours }: { colours: readonly string[] }) {
  return (
    <svg class="swatch" width="12" height="12" aria-hidden="true">
      {colours.map((colour, i) => (
        <rect
          key={colour}
          x={(i * 12) / colours.length}
          width={12 / colours.length}
          height="12"
          fill={colour}
        />
      ))}
    </svg>
  )
}
