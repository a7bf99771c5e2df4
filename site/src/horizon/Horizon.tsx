// A long plan in two scales: jobs on nodes over hours, and one block, a pattern that
// repeats, close up. Below, the same as a table by job.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Block, Compiled, LongPlan } from '../engine/api'
import { jobColours, paintsOf, SHADES } from '../timeline/palette'
import { Timeline } from '../timeline/Timeline'
import { useTheme, useWidth } from '../timeline/useCanvas'
import { marks } from '../timeline/viewport'
import { DataTable } from '../views/Figure'
import { decimal, instant, plural, short, ticks } from '../views/format'
import { glossary } from '../views/glossary'
import type { Selection, TimeRange } from '../views/props'
import { type Bands, bandsOf } from './bands'
import { blockOf, endOf, membersOf, patternOf } from './block'
import './horizon.css'

interface HorizonProps {
  label: string
  instance: Compiled
  plan: LongPlan
  /** Where it is a time, ticks. */
  bound: number | null
  selection: Selection | null
  onSelect(selection: Selection | null): void
  /** The plan shows written out as well: no block has to show close up. */
  written: boolean
}

/** Characters of a node's name, and pixels of each. */
const NAME = 16
const LETTER = 7
const RIGHT = 14
const TOP = 24
/** More rows are no help on a page; the command line writes all. */
const MOST_ROWS = 500

export function Horizon({ label, instance, plan, bound, selection, onSelect, written }: HorizonProps) {
  // A number of another plan would be of another block.
  const [picked, pick] = useState<{ plan: LongPlan; block: number } | null>(null)
  const block = picked?.plan === plan && picked.block < plan.blocks.length ? picked.block : -1
  const choose = (job: number) => {
    const of = blockOf(plan, job)
    pick(of < 0 ? null : { plan, block: of })
    onSelect({ job, iteration: 0, gpu: null })
  }
  const members = useMemo(
    () => (plan.blocks[block] ? membersOf(instance, plan, plan.blocks[block]) : null),
    [instance, plan, block],
  )
  const lit = useMemo(
    () => (members ? new Set(members.jobs) : selection ? new Set([selection.job]) : null),
    [members, selection],
  )
  return (
    <section class="horizon" aria-label={`${label}, jobs on nodes`}>
      <div class="horizon-head">
        <h2>Jobs on nodes</h2>
        <span class="muted">
          {plural(instance.jobs.length, 'job')} in {plural(plan.blocks.length, 'block')} on{' '}
          {plural(instance.nodes.length, 'node')}; pale while a job is loaded; jobs that share GPUs are slices
          of the rows that they share
          {bound !== null && '; the dashed line is the bound'}
        </span>
      </div>
      <Picture
        label={label}
        instance={instance}
        plan={plan}
        bound={bound}
        lit={lit}
        onJob={choose}
        onNone={() => {
          pick(null)
          onSelect(null)
        }}
      />
      {!written && (
        <CloseUp
          label={label}
          instance={instance}
          plan={plan}
          block={block}
          members={members}
          onBlock={next => pick(next < 0 ? null : { plan, block: next })}
          selection={selection}
          onSelect={onSelect}
        />
      )}
      <details class="twin">
        <summary>Table by job</summary>
        <Stays instance={instance} plan={plan} onJob={choose} label={label} />
      </details>
    </section>
  )
}

interface PictureProps {
  label: string
  instance: Compiled
  plan: LongPlan
  bound: number | null
  /** Jobs that stand out; null: all. */
  lit: ReadonlySet<number> | null
  onJob(job: number): void
  onNone(): void
}

function Picture({ label, instance, plan, bound, lit, onJob, onNone }: PictureProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = Math.max(useWidth(box), 300)
  const theme = useTheme()
  const bands = useMemo(() => bandsOf(instance, plan), [instance, plan])
  const colours = useMemo(() => jobColours(instance), [instance])
  const paints = paintsOf(theme)
  const horizon = plan.end.reduce((a, b) => Math.max(a, b), bound ?? 1)
  const left = 8 + LETTER * Math.max(...instance.nodes.map(node => nameOf(node).length))
  const plot = width - left - RIGHT
  const x = (t: number) => left + (plot * t) / horizon
  const { step, at } = marks({ from: 0, to: horizon }, plot / 96, instance.tick_us)
  const bottom = TOP + bands.height
  // What stands out was perhaps chosen elsewhere, and stands in rows out of sight.
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard
    <div class="horizon-box" role="group" aria-label="Jobs on nodes" tabIndex={0} ref={box}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table by job does the same with buttons */}
      <svg
        role="img"
        aria-label={`${label}: when jobs are on which nodes; the table by job says the same`}
        width={width}
        height={bottom + 6}
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

/** As much of a label as fits at 11 px. */
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
        // Names of low rows would cover each other.
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

interface CloseUpProps {
  label: string
  instance: Compiled
  plan: LongPlan
  /** -1: none. */
  block: number
  members: { jobs: number[]; nodes: number[] } | null
  onBlock(block: number): void
  selection: Selection | null
  onSelect(selection: Selection | null): void
}

function CloseUp(props: CloseUpProps) {
  const { instance, plan, members, onBlock } = props
  const [range, setRange] = useState<TimeRange | null>(null)
  const block = plan.blocks[props.block]
  const pattern = useMemo(() => block && patternOf(plan, block), [plan, block])
  const shown = useRef<HTMLElement>(null)
  useEffect(() => {
    // All of it, or its beginning where it is higher than the window.
    for (const part of [shown.current, shown.current?.firstElementChild])
      part?.scrollIntoView({ block: 'nearest' })
  }, [pattern])
  const go = (to: number) => {
    setRange(null)
    onBlock(Math.min(Math.max(to, 0), plan.blocks.length - 1))
  }
  if (!block || !pattern || !members)
    return (
      <p class="horizon-hint muted">
        Click a job to see its block close up, or{' '}
        <button type="button" class="link" onClick={() => go(0)}>
          show the first block
        </button>
        .
      </p>
    )
  return (
    <section class="close-up" ref={shown} aria-label="One block close up">
      <div class="horizon-head">
        <h2>
          Block {decimal(props.block + 1)} of {decimal(plan.blocks.length)}
        </h2>
        <button
          type="button"
          class="button quiet"
          aria-label="Previous block"
          disabled={props.block === 0}
          onClick={() => go(props.block - 1)}
        >
          ‹
        </button>
        <button
          type="button"
          class="button quiet"
          aria-label="Next block"
          disabled={props.block === plan.blocks.length - 1}
          onClick={() => go(props.block + 1)}
        >
          ›
        </button>
        <span class="muted">{words(instance, block, members)}</span>
        <button type="button" class="button quiet" onClick={() => onBlock(-1)}>
          Close
        </button>
      </div>
      <Timeline
        label={`One period of block ${props.block + 1}`}
        instance={instance}
        schedule={pattern}
        usage={null}
        bound={null}
        certified={false}
        chain={[]}
        selection={props.selection}
        onSelect={props.onSelect}
        range={range}
        onRange={setRange}
        nodes={members.nodes}
        pattern
        compact
      />
    </section>
  )
}

/** What a block is, in a line. */
function words(instance: Compiled, block: Block, members: { jobs: number[]; nodes: number[] }): string {
  const us = instance.tick_us
  const who = `${plural(members.jobs.length, 'job')} on ${plural(members.nodes.length, 'node')}`
  const when = `from ${ticks(block.start, us, endOf(block))} to ${ticks(endOf(block), us)}`
  if (block.repeats === 1) return `${who}, once, ${when}`
  return `${who}: a period of ${ticks(block.period, us)}, ${decimal(block.repeats)} times, ${when}`
}

function Stays({
  instance,
  plan,
  onJob,
  label,
}: {
  instance: Compiled
  plan: LongPlan
  onJob(job: number): void
  label: string
}) {
  const last = Math.max(...plan.end)
  const time = (t: number) => ticks(t, instance.tick_us, last)
  const order = instance.jobs.map((_, j) => j).sort((a, b) => plan.admitted[a]! - plan.admitted[b]! || a - b)
  return (
    <>
      <DataTable
        caption={`Jobs of ${label}, by admission`}
        head={[
          'Job',
          'Nodes',
          'GPUs',
          ['Waits', glossary.waits],
          'Admitted',
          'Starts',
          'Ends',
          ['Slowdown', glossary.slowdown],
        ]}
        rows={order.slice(0, MOST_ROWS).map(j => [
          <button key="job" type="button" class="link" onClick={() => onJob(j)}>
            {short(instance.jobs[j]!.name)}
          </button>,
          nodesOf(instance, plan.residency[j]!),
          plan.residency[j]!.length,
          time(plan.admitted[j]! - instance.jobs[j]!.release),
          time(plan.admitted[j]!),
          time(plan.start[j]!),
          time(plan.end[j]!),
          plan.slowdown[j]! > 0 ? plan.slowdown[j]!.toFixed(2) : '–',
        ])}
      />
      {order.length > MOST_ROWS && (
        <p class="muted">
          The first {MOST_ROWS} of {decimal(order.length)} jobs; jigsaw plan --jobs-out writes all of them.
        </p>
      )}
    </>
  )
}

function nodesOf(instance: Compiled, gpus: readonly number[]): string {
  const names = instance.nodes
    .filter(node => gpus.some(g => g >= node.first_gpu && g < node.first_gpu + node.gpus))
    .map(node => short(node.name))
  return names.length > 4 ? `${names.slice(0, 3).join(' ')} and ${names.length - 3} more` : names.join(' ')
}
