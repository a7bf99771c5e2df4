// The numbers of a plan: the objective, its proven quality, the utilisation, and the ways to
// schedule side by side. Every figure has a fixed place, so nothing jumps while they change.

import type { ComponentChildren } from 'preact'
import type { PlanCost } from '../engine/api'
import { Term } from '../ui/Term'
import { Figure } from './Figure'
import { busiestLink, completions, fullestMemory, type Way, waysOf } from './figures'
import {
  bytes,
  clean,
  gapOf,
  gapWords,
  minimised,
  objectiveNames,
  objectiveValue,
  percent,
  short,
  significant,
  ticks,
  UNKNOWN,
} from './format'
import { glossary } from './glossary'
import type { NumbersProps, RunView } from './props'
import './views.css'
import { statusWords } from './words'

export function Numbers({ instance, run, gain, mend }: NumbersProps) {
  const { result } = run
  const value = (v: number | null) => objectiveValue(v, run.objective, run.tick_us, run.primal)
  const gap = gapOf(run.primal, run.dual)
  const status = statusWords(run)
  const ends = instance && result ? completions(instance, result) : null
  // The status line already says that it was stopped.
  const notes = (result?.notes ?? []).filter(note => !result?.stopped || !note.startsWith('interrupted: '))
  const infeasible = result?.status === 'infeasible'
  return (
    <section class="numbers" aria-label="Numbers">
      <div class={`status-line tone-${status.tone}`}>
        <strong class="pill">{status.head}</strong>
        <span>{status.text}</span>
      </div>
      {gain}
      {infeasible && <Reasons reasons={result.reasons} />}
      {infeasible && mend}
      {!infeasible && (
        <div class="numbers-body">
          <div>
            <dl class="big-figures">
              <BigFigure
                name={objectiveNames[run.objective]}
                value={value(run.primal)}
                term={glossary[run.objective]}
              />
              <BigFigure
                name={run.certified ? 'Certified bound' : 'Bound'}
                value={value(run.dual)}
                term={glossary.bound}
              />
              <BigFigure name="Gap" value={gapWords(gap)} term={glossary.gap} />
              <BigFigure
                name="Efficiency"
                value={result?.efficiency == null ? UNKNOWN : result.efficiency.toFixed(3)}
                term={glossary.efficiency}
              />
              {instance && !instance.periodic && (
                <BigFigure
                  name={run.objective === 'makespan' ? 'Weighted completion' : 'Makespan'}
                  value={
                    !ends
                      ? UNKNOWN
                      : run.objective === 'makespan'
                        ? objectiveValue(ends.weighted, 'weighted_completion', run.tick_us)
                        : ticks(ends.makespan, run.tick_us)
                  }
                  term={run.objective === 'makespan' ? glossary.weighted_completion : glossary.makespan}
                />
              )}
              {result?.cost && (
                <BigFigure
                  name={instance?.periodic ? 'Cost per hour' : 'Cost'}
                  value={costWords(result.cost)}
                  term={glossary.cost}
                />
              )}
            </dl>
            <Use instance={instance} run={run} />
          </div>
          <Ways run={run} />
        </div>
      )}
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map(note => (
            <li key={note}>{clean(note)}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** In the currency of the prices. */
function costWords({ plan, at_least }: PlanCost): string {
  if (plan === null) return UNKNOWN
  return `${significant(plan)}${at_least === null ? '' : ` ≥ ${significant(at_least)}`}`
}

/** Why there is no plan. */
function Reasons({ reasons }: { reasons: readonly string[] }) {
  return (
    <ul class="reasons">
      {reasons.map(reason => (
        <li key={reason}>{clean(reason)}</li>
      ))}
    </ul>
  )
}

function BigFigure({ name, value, term }: { name: string; value: string; term: string }) {
  // As large as the number it would be wider than its column.
  const [, number, unit] = /^(.*?)(?:\s(×.*))?$/.exec(value)!
  return (
    <div>
      <dt>
        <Term text={term}>{name}</Term>
      </dt>
      <dd>
        {number} {unit && <small>{unit}</small>}
      </dd>
    </div>
  )
}

function Use({ instance, run }: { instance: NumbersProps['instance']; run: RunView }) {
  const { usage } = run
  const link = instance && usage ? busiestLink(instance, usage) : null
  const memory = instance && usage ? fullestMemory(instance, usage) : null
  return (
    <ul class="meters" aria-label="In use">
      <Meter name="GPUs busy" term={glossary.gpus_busy} share={usage?.mean_gpu ?? null}>
        {percent(usage?.mean_gpu)}
      </Meter>
      <Meter name="Busiest link" term={glossary.busiest_link} share={link?.share ?? null}>
        {link ? `${percent(link.share)} of ${short(link.name)}` : UNKNOWN}
      </Meter>
      <Meter name="Fullest memory" term={glossary.fullest_memory} share={memory?.share ?? null}>
        {memory ? `${bytes(memory.bytes)} of ${bytes(memory.of)}` : UNKNOWN}
      </Meter>
    </ul>
  )
}

function Meter({
  name,
  term,
  share,
  children,
}: {
  name: string
  term: string
  share: number | null
  children: ComponentChildren
}) {
  return (
    <li>
      <span class="muted">
        <Term text={term}>{name}</Term>
      </span>
      <span class="number">{children}</span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="meter-ground" width="100" height="4" />
        <rect class="meter-fill" width={100 * Math.min(share ?? 0, 1)} height="4" />
      </svg>
    </li>
  )
}

/** Bars of the ways to schedule; the gap between plan and bound is hatched. */
function Ways({ run }: { run: RunView }) {
  const ways = waysOf(run.result, run.primal, run.dual)
  const most = Math.max(...ways.map(w => w.value ?? 0), 1e-12)
  const text = (w: Way) =>
    w.value === null && w.reason
      ? clean(w.reason)
      : objectiveValue(w.value, run.objective, run.tick_us, run.primal)
  const less = minimised(run.objective)
  const better = (w: Way) => {
    if (w.key === 'bound' || run.dual === null) return UNKNOWN
    return gapWords(gapOf(w.value, run.dual))
  }
  return (
    <Figure
      title="Ways to schedule"
      note={less ? 'shorter is better' : 'higher is better'}
      head={['Way', objectiveNames[run.objective], 'Gap to the bound', 'Efficiency']}
      rows={ways.map(w => [
        <Term key={w.key} text={w.text}>
          {w.name}
        </Term>,
        text(w),
        better(w),
        w.efficiency === null ? UNKNOWN : w.efficiency.toFixed(3),
      ])}
    >
      <ul class="ways" aria-hidden="true">
        {ways.map(w => (
          <li key={w.key} class={`way-${w.key}`} title={w.value === null ? clean(w.reason) : w.text}>
            <span class="ways-name">{w.key === 'bound' && run.certified ? 'Certified bound' : w.name}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              {w.key === 'plan' && (
                <pattern
                  id="plan-gap"
                  width="1.2"
                  height="10"
                  patternUnits="userSpaceOnUse"
                  patternTransform="skewX(-30)"
                >
                  <rect class={less ? 'gap-stripe' : 'gap-stripe beyond'} width="0.6" height="10" />
                </pattern>
              )}
              {w.value !== null && <rect class="ways-bar" width={(100 * w.value) / most} height="10" />}
              {w.key === 'plan' && w.value !== null && run.dual !== null && (
                <rect
                  x={(100 * Math.min(w.value, run.dual)) / most}
                  width={(100 * Math.abs(w.value - run.dual)) / most}
                  height="10"
                  class="ways-gap"
                />
              )}
              {run.dual !== null && (
                <rect class="ways-line" x={(100 * run.dual) / most - 0.15} width="0.3" height="10" />
              )}
            </svg>
            <span class="ways-value number">{w.value === null ? UNKNOWN : text(w)}</span>
          </li>
        ))}
      </ul>
    </Figure>
  )
}
