// A plan of burst-parallel jobs: the slowdown and one period of each, and the background jobs.
import type { BurstAnswer, BurstJob } from '../engine/api'
import { Picture } from '../ui/Picture'
import { Term } from '../ui/Term'
import { DataTable } from './Figure'
import { clean, decimal, percent, plural, short, significant, ticks, UNKNOWN } from './format'
import { glossary } from './glossary'
import { Scroller } from './Scroller'
import './views.css'

/** command is the command line that makes the same plan. */
export function Bursts({ plan, command }: { plan: BurstAnswer; command: string }) {
  const optimal = plan.status === 'optimal'
  if (plan.jobs.length === 0)
    return (
      <section class="explain" aria-label="Burst-parallel jobs">
        <p class="status-line tone-bad">
          <span class="pill">{plan.status === 'infeasible' ? 'No plan exists' : 'No plan found'}</span>
          There is not enough memory:
        </p>
        <ul class="reasons">
          {plan.reasons.map(reason => (
            <li key={reason}>{clean(reason)}</li>
          ))}
        </ul>
      </section>
    )
  return (
    <section class="explain" aria-label="Burst-parallel jobs">
      <p class={`status-line ${optimal ? 'tone-good' : ''}`}>
        <span class="pill">{optimal ? 'Optimal' : 'Feasible'}</span>
        {plan.background.length === 0
          ? 'The fastest stages within each limit.'
          : `Background jobs get ${significant(plan.rate)} GPUs’ worth of time; with these stages no timetable gives them more${
              optimal ? '' : ` than ${significant(plan.bound)}`
            }, proven in exact arithmetic.`}
      </p>
      <section>
        <h2>
          <Term text={glossary.burst}>Burst-parallel jobs</Term>
        </h2>
        <DataTable
          caption="Burst-parallel jobs"
          head={[
            'Job',
            'Node',
            ['One GPU', glossary.one_gpu],
            ['Data parallel', glossary.data_parallel],
            ['In bursts', glossary.in_bursts],
            ['GPU-time', glossary.gpu_time],
            ['Period', glossary.burst_period],
            ['Slowdown', glossary.burst_slowdown],
            ['GPUs of stages', glossary.stages],
          ]}
          rows={plan.jobs.map(job => [
            short(job.name),
            short(job.node),
            time(job.one_gpu_ns),
            time(job.data_parallel_ns),
            time(job.time_ns),
            time(job.gpu_time_ns),
            time(job.period_ns),
            `${decimal(job.slowdown, 3)}×`,
            job.stages.join(' → '),
          ])}
        />
      </section>
      {plan.jobs.map(job => (
        <Period key={job.name} job={job} />
      ))}
      {plan.background.length > 0 && (
        <section>
          <h2>
            <Term text={glossary.background}>Background</Term>
          </h2>
          <DataTable
            caption="Background jobs"
            head={[
              'Job',
              'Node',
              'GPU',
              ['Relative speed', glossary.rate_of_alone],
              ['Iterations per second', glossary.per_second],
            ]}
            rows={plan.background.map(job => [
              short(job.name),
              job.node ? short(job.node) : 'no GPU has room',
              job.node ? job.gpu : UNKNOWN,
              percent(job.rate),
              decimal(job.per_second, 3),
            ])}
          />
        </section>
      )}
      {plan.notes.length > 0 && (
        <ul class="notes">
          {plan.notes.map(note => (
            <li key={note}>{clean(note)}</li>
          ))}
        </ul>
      )}
      <p class="muted">
        The same on the command line: <code>{command}</code>
      </p>
    </section>
  )
}

/** Nanoseconds are thousandths of microseconds. */
const time = (ns: number) => ticks(ns, 1e-3)

function Period({ job }: { job: BurstJob }) {
  const label = `One period of ${short(job.name)} on ${plural(job.gpus, 'GPU')} of ${short(job.node)}`
  return (
    <section>
      <h2>{label}</h2>
      <Scroller label={label}>
        <Picture svg={job.picture} label={`${label}: its steps, and the slices of background jobs`} wide />
      </Scroller>
    </section>
  )
}
