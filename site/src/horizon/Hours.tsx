// The picture of a long plan: jobs on nodes over hours.

import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Compiled, LongPlan } from '../engine/api'
import { jobColours, paintsOf, SHADES } from '../timeline/palette'
import { useTheme, useWidth } from '../timeline/useCanvas'
import { marks } from '../timeline/viewport'
import { instant, plural, short, ticks } from '../views/format'
import { type Bands, bandsOf } from './bands'
import './horizon.css'

/** Characters shown of a node's name, and pixels per character. */
const NAME = 16
const LETTER = 7
const RIGHT = 14
const TOP = 24

interface HoursProps {
  label: string
  instance: Compiled
  plan: LongPlan
  /** In ticks, if it is a time. */
  bound: number | null
  /** The least end of the axis, ticks. */
  end?: number
  /** Highlighted jobs; null: all. */
  lit: ReadonlySet<number> | null
  onJob(job: number): void
  onNone(): void
}

export function Hours({ label, instance, plan, bound, end = 0, lit, onJob, onNone }: HoursProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = Math.max(useWidth(box), 300)
  const theme = useTheme()
  const bands = useMemo(() => bandsOf(instance, plan), [instance, plan])
  const colours = useMemo(() => jobColours(instance), [instance])
  const paints = paintsOf(theme)
  const horizon = plan.end.reduce((a, b) => Math.max(a, b), Math.max(bound ?? 1, end))
  const left = 8 + LETTER * Math.max(...instance.nodes.map(node => nameOf(node).length))
  const plot = width - left - RIGHT
  const x = (t: number) => left + (plot * t) / horizon
  const { step, at } = marks({ from: 0, to: horizon }, plot / 96, instance.tick_us)
  const bottom = TOP + bands.height
  // The highlighted jobs may have been chosen elsewhere, and be in rows out of sight.
  useEffect(() => {
    const bars = lit && box.current?.querySelectorAll('.horizon-bar:not(.dimmed)')
    if (!bars?.length || !box.current) return
    const { top, bottom } = box.current.getBoundingClientRect()
    const places = [...bars].map(bar => bar.getBoundingClientRect())
    if (!places.some(place => place.top >= top && place.bottom <= bottom))
      box.current.scrollTop += places[0]!.bottom - bottom + TOP
  }, [lit])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div class="horizon-box" role="group" aria-label="Jobs on nodes" tabIndex={0} ref={box}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table by job does the same with buttons */}
      <svg
        role="img"
        aria-label={`${label}: when jobs are on which nodes; the table by job says the same`}
        width={width}
        height={bottom + 6}
        viewBox={`0 0 ${width} ${bottom + 6}`}
        onClick={event => {
          const job = (event.target as Element).getAttribute('data-job')
          if (job === null) onNone()
          else onJob(Number(job))
        }}
      >
        {at.map(t => (
          <g key={t}>
            <path class="horizon-grid" d={`M${x(t)} ${TOP - 5}V${bottom}`} />
            <text class="horizon-dim" x={Math.min(x(t), width - 30)} y={12} text-anchor="middle">
              {t === 0 ? '0' : instant(t, instance.tick_us, step, horizon)}
            </text>
          </g>
        ))}
        <Nodes instance={instance} bands={bands} left={left} />
        {bands.bars.map(bar => {
          const job = instance.jobs[bar.job]!
          const full = paints[colours[bar.job]! * SHADES + SHADES - 1]!
          const pale = paints[colours[bar.job]! * SHADES]!
          const [admitted, start, end] = [plan.admitted[bar.job]!, plan.start[bar.job]!, plan.end[bar.job]!]
          const height = Math.max(bar.height - (bar.height > 5 ? 1 : 0), 0.5)
          const room = x(end) - x(start) - 8
          const gpus = job.workers * job.gpus_per_worker
          const text = labelOf(short(job.name), gpus, room)
          const tall = height >= 11 && text !== ''
          return (
            <g
              key={`${bar.job}|${bar.y}`}
              class={lit && !lit.has(bar.job) ? 'horizon-bar dimmed' : 'horizon-bar'}
              data-bar={job.name}
            >
              {start > admitted && (
                <rect
                  data-job={bar.job}
                  x={x(admitted)}
                  y={TOP + bar.y}
                  width={x(start) - x(admitted)}
                  height={height}
                  fill={pale.fill}
                />
              )}
              <rect
                data-job={bar.job}
                x={x(start)}
                y={TOP + bar.y}
                width={Math.max(x(end) - x(start) - 1, 0.5)}
                height={height}
                fill={full.fill}
              >
                <title>
                  {`${short(job.name)}: ${plural(gpus, 'GPU')}, ${ticks(admitted, instance.tick_us, end)} to ${ticks(end, instance.tick_us)}`}
                </title>
              </rect>
              {tall && (
                <text x={x(start) + 4} y={TOP + bar.y + height / 2 + 3.5} fill={full.ink}>
                  {text}
                </text>
              )}
            </g>
          )
        })}
        {bound !== null && <path class="horizon-bound" d={`M${x(bound)} ${TOP - 5}V${bottom}`} />}
      </svg>
    </div>
  )
}

/** The part of a label that fits at 11 px. */
function labelOf(name: string, gpus: number, room: number): string {
  const most = room / 6.3
  const whole = `${name} · ${gpus}`
  if (whole.length <= most) return whole
  return name.length <= most ? name : ''
}

const nameOf = (node: { name: string }) => short(node.name).slice(0, NAME)

function Nodes({ instance, bands, left }: { instance: Compiled; bands: Bands; left: number }) {
  let last = Number.NEGATIVE_INFINITY
  return (
    <>
      {instance.nodes.map((node, n) => {
        const { y, height } = bands.nodes[n]!
        // Names of low rows would overlap.
        const named = y - last >= 11
        if (named) last = y
        return (
          <g key={node.name}>
            <rect
              class="horizon-track"
              x={left}
              y={TOP + y}
              width={`calc(100% - ${left + RIGHT}px)`}
              height={Math.max(height, 0.5)}
            />
            {named && (
              <text
                class="horizon-node"
                x={left - 6}
                y={TOP + y + Math.min(height / 2 + 4, 11)}
                text-anchor="end"
              >
                {nameOf(node)}
              </text>
            )}
          </g>
        )
      })}
    </>
  )
}
