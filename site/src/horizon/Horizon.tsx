// A long plan at two scales: jobs on nodes over hours, and one block, a repeating pattern,
// in close-up. Below, the same as a table by job.

import { useMemo, useState } from 'preact/hooks'
import type { Compiled, LongPlan } from '../engine/api'
import { plural } from '../views/format'
import type { Selection } from '../views/props'
import { blockOf, membersOf } from './block'
import { CloseUp } from './CloseUp'
import { Hours } from './Hours'
import { Stays } from './Stays'
import './horizon.css'

interface HorizonProps {
  label: string
  instance: Compiled
  plan: LongPlan
  /** In ticks, if it is a time. */
  bound: number | null
  selection: Selection | null
  onSelect(selection: Selection | null): void
  /** Whether the plan is also shown written out: then no block is shown in close-up. */
  written: boolean
}

export function Horizon({ label, instance, plan, bound, selection, onSelect, written }: HorizonProps) {
  // A block number of another plan would mean another block.
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
      <Hours
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
