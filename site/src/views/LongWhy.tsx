// Why a job of a long plan ends when it does: a sentence, and for the last job the chain before it.

import type { LongPlan } from '../engine/api'
import { capital, clean, short, ticks } from './format'
import { JobQuestion } from './JobQuestion'
import type { ExplainProps } from './props'
import { Scroller } from './Scroller'

export function LongWhy({ instance, plan, job, onJob }: ExplainProps & { plan: LongPlan }) {
  const last = plan.chain[0]?.job
  const shown = job ?? last
  if (shown === undefined || last === undefined) return null
  const time = (t: number) => ticks(t, instance.tick_us, plan.end[last])
  return (
    <section>
      <JobQuestion instance={instance} shown={shown} last={last} onJob={onJob} />
      <p>{clean(plan.why[shown] ?? '')}.</p>
      {shown === last && (
        <Scroller label="The chain">
          <table class="data story">
            <caption class="hidden-visually">The jobs that the plan ends with, from late to early</caption>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col">Not sooner because</th>
              </tr>
            </thead>
            <tbody>
              {plan.chain.map(link => (
                <tr key={link.job}>
                  <th scope="row">
                    <button type="button" class="link" onClick={() => onJob(link.job)}>
                      {short(instance.jobs[link.job]?.name ?? '')}
                    </button>
                  </th>
                  <td>{time(plan.admitted[link.job]!)}</td>
                  <td>{time(plan.end[link.job]!)}</td>
                  <td>{capital(clean(link.text))}.</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}
