// The legend: colours of jobs and patterns of depths. A click on a job's name selects it.

import { memo } from 'preact/compat'
import { useMemo } from 'preact/hooks'
import type { Compiled, Schedule } from '../engine/api'
import { short } from '../views/format'
import type { Selection } from '../views/props'
import { COLOURS, jobColours, paintsOf, SHADES, type Theme } from './palette'

interface LegendProps {
  instance: Compiled
  schedule: Schedule
  theme: Theme
  selection: Selection | null
  onSelect(selection: Selection | null): void
}

/** More names would take too much space; the rest is counted. */
const MOST = 40

interface Entry {
  job: number
  text: string
  colour: number
}

export function entries(instance: Compiled, schedule: Schedule): Entry[] {
  const colour = jobColours(instance)
  const busy = new Set(schedule.tasks.job)
  const { jobs } = instance
  if (jobs.length <= COLOURS.length)
    return jobs.map((job, j) => ({
      job: j,
      // If the objective is the sum of rates, other jobs may get the whole cluster.
      text: short(job.name) + (busy.has(j) ? '' : ': no iteration'),
      colour: colour[j]!,
    }))
  const classes = new Map<number, number[]>()
  jobs.forEach((job, j) => {
    const list = classes.get(job.class)
    if (list) list.push(j)
    else classes.set(job.class, [j])
  })
  return [...classes.values()].map(list => ({
    job: list[0]!,
    text: short(jobs[list[0]!]!.name) + (list.length > 1 ? ` and ${list.length - 1} like it` : ''),
    colour: colour[list[0]!]!,
  }))
}

export const Legend = memo(function Legend({ instance, schedule, theme, selection, onSelect }: LegendProps) {
  const list = useMemo(() => entries(instance, schedule), [instance, schedule])
  const paints = paintsOf(theme)
  return (
    <div class="legend">
      <ul aria-label="Jobs">
        {list.slice(0, MOST).map(e => {
          const on = selection?.job === e.job
          return (
            <li key={e.job}>
              <button
                type="button"
                class="legend-job"
                aria-pressed={on}
                onClick={() => onSelect(on ? null : { job: e.job, iteration: 0, gpu: null })}
              >
                <svg width="12" height="12" aria-hidden="true">
                  <rect width="12" height="12" rx="2" fill={paints[e.colour * SHADES + SHADES - 1]!.fill} />
                </svg>
                {e.text}
              </button>
            </li>
          )
        })}
        {list.length > MOST && <li class="muted">and {list.length - MOST} more</li>}
      </ul>
      <p class="legend-depths">
        <span>Depth: shallow</span>
        {Array.from({ length: SHADES }, (_, shade) => (
          <Swatch key={shade} shade={shade} theme={theme} />
        ))}
        <span>full</span>
      </p>
    </div>
  )
})

/** A sample of a depth, as on the canvas: shade, pattern and the bar at the left edge. */
function Swatch({ shade, theme }: { shade: number; theme: Theme }) {
  const { fill, ink } = paintsOf(theme)[shade]!
  const height = 14
  const gauge = (height * (shade + 1)) / SHADES
  const diagonals = (step: number, down: boolean) => {
    const lines: string[] = []
    for (let d = -height; d < 26; d += step)
      lines.push(down ? `M${d} 0l${height} ${height}` : `M${d} ${height}l${height} ${-height}`)
    return lines.join('')
  }
  const dots = [5, 9, 13, 17, 21].map((x, n) => `M${x} ${n % 2 ? 9 : 5}h1.5`).join('')
  return (
    <svg width="26" height={height} viewBox={`0 0 26 ${height}`} aria-hidden="true">
      <rect width="26" height={height} fill={fill} />
      {shade === 3 && <path d={diagonals(8, false)} stroke={ink} opacity="0.35" />}
      {shade === 2 && <path d={diagonals(4, false)} stroke={ink} opacity="0.35" />}
      {shade === 1 && <path d={diagonals(8, false) + diagonals(8, true)} stroke={ink} opacity="0.35" />}
      {shade === 0 && <path d={dots} stroke={ink} stroke-width="1.5" opacity="0.55" />}
      <rect x="1" y={height - gauge} width="2" height={gauge} fill={ink} opacity="0.62" />
    </svg>
  )
}
