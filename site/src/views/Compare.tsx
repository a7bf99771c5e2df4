// Two plans side by side: on one time axis, and in a table of their differences.

import { useMemo, useState } from 'preact/hooks'
import type { LongPlan } from '../engine/api'
import { Hours } from '../horizon/Hours'
import { Timeline } from '../timeline/Timeline'
import { Term } from '../ui/Term'
import { type Difference, figures, jobs } from './differences'
import { short, UNKNOWN } from './format'
import type { CompareProps, Pinned, Selection, TimeRange } from './props'
import { Scroller } from './Scroller'
import { extentOf, hasPlan } from './shown'
import { usageOf } from './usage'
import './views.css'

/** The number of jobs shown; the rest is folded away. */
const FEW_JOBS = 12

export function Compare({ a, b, selection, onSelect, range, onRange }: CompareProps) {
  // A common axis in microseconds: ticks may differ.
  const end = Math.max(...[a, b].map(p => (hasPlan(p.result) ? extentOf(p.result) * p.instance.tick_us : 0)))
  const side = (p: Pinned, own: Selection | null, select: (s: Selection | null) => void) =>
    p.result.schedule ? (
      <Timeline
        compact
        heading={`Plan ${short(p.label)}`}
        label={`Timeline of plan ${short(p.label)}`}
        instance={p.instance}
        schedule={p.result.schedule}
        usage={usageOf(p.instance, p.result)}
        bound={p.result.dual}
        certified={p.result.certified}
        chain={p.result.chain}
        selection={own}
        onSelect={select}
        range={range && scaleRange(range, b.instance.tick_us / p.instance.tick_us)}
        onRange={r => onRange(r && scaleRange(r, p.instance.tick_us / b.instance.tick_us))}
        horizon={end / p.instance.tick_us}
      />
    ) : p.result.long ? (
      <LongSide
        of={p}
        plan={p.result.long}
        end={end / p.instance.tick_us}
        selection={own}
        onSelect={select}
      />
    ) : (
      <p class="muted side-empty">There is no plan {short(p.label)}.</p>
    )
  const whole = useMemo(() => figures(a, b), [a, b])
  // The same object as long as the selection is the same: a new object is scrolled into sight.
  const inA = useMemo(() => translate(selection, b, a), [selection, a.instance, b.instance])
  return (
    <section class="compare" aria-label={`${short(a.label)} and ${short(b.label)}`}>
      {hasPlan(a.result) && hasPlan(b.result) && <Summary differences={whole} />}
      {side(a, inA, s => onSelect(translate(s, a, b)))}
      {side(b, selection, onSelect)}
      <Differences a={a} b={b} whole={whole} />
    </section>
  )
}

/** A long plan: its jobs on nodes. */
function LongSide({
  of: { label, instance, result },
  plan,
  end,
  selection,
  onSelect,
}: {
  of: Pinned
  plan: LongPlan
  /** End of the axis, ticks. */
  end: number
  selection: Selection | null
  onSelect(selection: Selection | null): void
}) {
  const lit = useMemo(() => (selection ? new Set([selection.job]) : null), [selection])
  return (
    <section class="horizon" aria-label={`Timeline of plan ${short(label)}, jobs on nodes`}>
      <div class="horizon-head">
        <h2>Plan {short(label)}</h2>
      </div>
      <Hours
        label={`Plan ${short(label)}`}
        instance={instance}
        plan={plan}
        bound={instance.objective === 'makespan' ? result.dual : null}
        end={end}
        lit={lit}
        onJob={job => onSelect({ job, iteration: 0, gpu: null })}
        onNone={() => onSelect(null)}
      />
    </section>
  )
}

function scaleRange(r: TimeRange, by: number): TimeRange {
  return { from: r.from * by, to: r.to * by }
}

/** The same job, by name, in another instance. */
function translate(s: Selection | null, from: Pinned, to: Pinned): Selection | null {
  if (!s) return null
  const name = from.instance.jobs[s.job]?.name
  const job = to.instance.jobs.findIndex(j => j.name === name)
  return job < 0 ? null : { ...s, job }
}

/** A summary of the differences in a line; the table below has the values. */
function Summary({ differences }: { differences: readonly Difference[] }) {
  const changed = differences.filter(d => d.verdict && d.verdict.verdict !== 'same')
  return (
    <p class="compare-summary">
      <span class="muted">From A to B</span>
      {changed.length === 0 && <span>no figure differs</span>}
      {changed.map(d => (
        <span key={d.name}>
          {d.name} <Change difference={d} />
        </span>
      ))}
    </p>
  )
}

function Differences({ a, b, whole }: { a: Pinned; b: Pinned; whole: readonly Difference[] }) {
  const [all, setAll] = useState(false)
  const each = useMemo(() => jobs(a, b), [a, b])
  const changed = each.filter(d => d.verdict?.verdict !== 'same')
  const shown = all ? each : (changed.length > 0 ? changed : each).slice(0, FEW_JOBS)
  return (
    <div class="differences">
      <Scroller label="Differences">
        <table class="data">
          <caption>Differences</caption>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">{short(a.label)}</th>
              <th scope="col">{short(b.label)}</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {whole.map(d => (
              <Row key={d.name} difference={d} />
            ))}
          </tbody>
          <tbody>
            <tr>
              <th colSpan={4} scope="rowgroup" class="group">
                {a.instance.periodic ? 'Iterations of each job' : 'Completion of each job'}
              </th>
            </tr>
            {shown.map((d, n) => (
              <Row key={n} difference={d} />
            ))}
          </tbody>
        </table>
      </Scroller>
      {shown.length < each.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          All {each.length} jobs
        </button>
      )}
    </div>
  )
}

function Row({ difference: d }: { difference: Difference }) {
  return (
    <tr>
      <th scope="row">{d.term ? <Term text={d.term}>{d.name}</Term> : d.name}</th>
      <td>{d.a}</td>
      <td>{d.b}</td>
      <td>
        <Change difference={d} />
      </td>
    </tr>
  )
}

function Change({ difference: { verdict } }: { difference: Difference }) {
  if (!verdict) return <>{UNKNOWN}</>
  return (
    <span class={verdict.verdict}>
      <span aria-hidden="true">{verdict.glyph}</span> {verdict.text}
      {verdict.verdict !== 'same' && <span class="hidden-visually">, {verdict.verdict}</span>}
    </span>
  )
}
