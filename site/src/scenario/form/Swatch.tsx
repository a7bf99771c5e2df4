// The colours that a job of the file has in the timeline: one for each of its copies, a few at most.
import type { Compiled } from '../../engine/api'
import { COLOURS, jobColours } from '../../timeline/palette'

const most = 4

/** By job of the file. */
export function coloursOf(instance: Compiled | null): string[][] {
  const bySource: string[][] = []
  if (!instance) return bySource
  const colours = jobColours(instance)
  instance.jobs.forEach((job, j) => {
    const list = (bySource[job.source] ??= [])
    const colour = COLOURS[colours[j]!]!
    if (list.length < most && !list.includes(colour)) list.push(colour)
  })
  return bySource
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
