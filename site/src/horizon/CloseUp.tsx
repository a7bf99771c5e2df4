// One block of a long plan in close-up: one period of its pattern on a timeline.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Block, Compiled, LongPlan } from '../engine/api'
import { Timeline } from '../timeline/Timeline'
import { decimal, plural, ticks } from '../views/format'
import type { Selection, TimeRange } from '../views/props'
import { endOf, patternOf } from './block'

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

export function CloseUp(props: CloseUpProps) {
  const { instance, plan, members, onBlock } = props
  const [range, setRange] = useState<TimeRange | null>(null)
  const block = plan.blocks[props.block]
  const pattern = useMemo(() => block && patternOf(plan, block), [plan, block])
  const shown = useRef<HTMLElement>(null)
  useEffect(() => {
    // Scrolls to all of it, or to its beginning if it is higher than the window.
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

/** Describes a block in a line. */
function words(instance: Compiled, block: Block, members: { jobs: number[]; nodes: number[] }): string {
  const us = instance.tick_us
  const who = `${plural(members.jobs.length, 'job')} on ${plural(members.nodes.length, 'node')}`
  const when = `from ${ticks(block.start, us, endOf(block))} to ${ticks(endOf(block), us)}`
  if (block.repeats === 1) return `${who}, once, ${when}`
  return `${who}: a period of ${ticks(block.period, us)}, ${decimal(block.repeats)} times, ${when}`
}
