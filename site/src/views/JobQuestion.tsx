// The question "Why does this job end when it does?", with a choice of the job.

import { short } from './format'
import type { ExplainProps } from './props'

interface Props extends Pick<ExplainProps, 'instance' | 'onJob'> {
  shown: number
  /** The job that ends last. */
  last: number
}

export function JobQuestion({ instance, shown, last, onJob }: Props) {
  return (
    <h2>
      <label>
        Why does{' '}
        <select class="select" value={shown} onChange={e => onJob(Number(e.currentTarget.value))}>
          {instance.jobs.map((spec, j) => (
            <option key={j} value={j}>
              {short(spec.name)}
              {j === last ? ' (the last)' : ''}
            </option>
          ))}
        </select>{' '}
        end when it does?
      </label>
    </h2>
  )
}
