// A plan of burst-parallel jobs: what each is slowed down to, one period of it, and what the background has.
import type { BurstAnswer, BurstJob } from '../engine/api'
import { Picture } from '../ui/Picture'
import { Term } from '../ui/Term'
import { DataTable } from './Figure'
import { clean, decimal, percent, plural, short, significant, ticks, UNKNOWN } from './format'
import { glossary } from './glossary'
import { Scroller } from './Scroller'
import './views.css'

/** command makes the same plan. */
export function Bursts({ plan, command }: { plan: BurstAnswer; command: string }) {
  const optimal = plan.status === 'optimal'
  if (plan.jobs.length === 0)
    return (
      <section class="explain" aria-label="Burst-parallel jobs">
        <p class="status-line tone-bad">
          <span class="pill">{plan.status === 'infeasible' ? 'No plan exists' : 'No plan found'}</span>
          Memory has no room:
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
          : `The background has ${significant(plan.rate)} GPUs’ worth of time; beside these stages ${
              optimal ? 'no timetable gives it more' : `none gives it more than ${significant(plan.bound)}`
            }, by exact arithmetic.`}
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
              ['Of its speed alone', glossary.rate_of_alone],
              ['Iterations per second', glossary.per_second],
            ]}
            rows={plan.background.map(job => [
              short(job.name),
              job.node ? short(job.node) : 'none has room',
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
