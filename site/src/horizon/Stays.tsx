// The table of jobs of a long plan: where and when each job runs.

import type { Compiled, LongPlan } from '../engine/api'
import { DataTable } from '../views/Figure'
import { decimal, short, ticks } from '../views/format'
import { glossary } from '../views/glossary'

/** More rows do not help on a page; the command line writes all. */
const MOST_ROWS = 500

export function Stays({
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
