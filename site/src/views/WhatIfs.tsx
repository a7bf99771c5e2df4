// What a change of the cluster would do: predicted by the dual prices, verified by solving again.

import { useState } from 'preact/hooks'
import type { Compiled, PlanResult, WhatIfAnswer, WhatIfChange } from '../engine/api'
import { Term } from '../ui/Term'
import { candidates, GROWTH, labelOf, sameChange } from './candidates'
import { capital, change, clean, minimised, objectiveValue, short, UNKNOWN } from './format'
import { glossary } from './glossary'
import type { ExplainProps, WhatIfState } from './props'
import { Scroller } from './Scroller'
import { judge } from './words'

export function WhatIfs(props: ExplainProps) {
  const { instance, result, whatIfs } = props
  const offered = candidates(instance, result).map(c => c.change)
  const asked = whatIfs.map(w => w.change).filter(c => !offered.some(o => sameChange(o, c)))
  return (
    <section>
      <h2>What would change</h2>
      <p class="muted">
        The dual prices of the bound predict the effect of a change; solving again verifies it. The plans
        before and after are quick plans.
      </p>
      <Scroller label="Changes of the cluster">
        <table class="data whatif">
          <caption class="hidden-visually">Changes of the cluster and what they do</caption>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">
                <Term text={glossary.predicted}>Bound, predicted</Term>
              </th>
              <th scope="col">
                <Term text={glossary.verified}>Bound, verified</Term>
              </th>
              <th scope="col">
                <Term text={glossary.plan_change}>Plan</Term>
              </th>
              <th scope="col">
                <span class="hidden-visually">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {[...offered, ...asked].map(c => (
              <WhatIfRow
                key={`${c.kind}|${c.subject}|${c.factor}`}
                instance={instance}
                result={result}
                change={c}
                state={whatIfs.find(w => sameChange(w.change, c)) ?? null}
                onAsk={() => props.onWhatIf(c)}
                onTakeOver={() => props.onTakeOver(c, capital(labelOf(instance, c)))}
              />
            ))}
          </tbody>
        </table>
      </Scroller>
      <Ask instance={instance} onAsk={props.onWhatIf} />
    </section>
  )
}

interface WhatIfRowProps {
  instance: Compiled
  result: PlanResult
  change: WhatIfChange
  state: WhatIfState | null
  onAsk(): void
  onTakeOver(): void
}

function WhatIfRow({ instance, result, change: asked, state, onAsk, onTakeOver }: WhatIfRowProps) {
  const label = labelOf(instance, asked)
  const answer = state?.answer ?? null
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>
        {answer ? (answer.predicted === null ? 'the prices do not say' : change(answer.predicted)) : UNKNOWN}
      </td>
      <td>{answer ? change(answer.verified) : UNKNOWN}</td>
      <td>{answer ? <PlanChange result={result} instance={instance} answer={answer} /> : UNKNOWN}</td>
      <td>
        {state === null && (
          <button type="button" class="button" onClick={onAsk} aria-label={`Try it: ${label}`}>
            Try it
          </button>
        )}
        {state && !answer && !state.error && <span class="muted">solving …</span>}
        {state?.error && (
          <span class="bad-text">
            {clean(state.error)}{' '}
            <button type="button" class="link" onClick={onAsk}>
              Try again
            </button>
          </span>
        )}
        {answer && (
          <button type="button" class="button" onClick={onTakeOver} aria-label={`Apply: ${label}`}>
            Apply
          </button>
        )}
      </td>
    </tr>
  )
}

function PlanChange({
  result,
  instance,
  answer,
}: {
  result: PlanResult
  instance: Compiled
  answer: WhatIfAnswer
}) {
  if (answer.plan_after === null)
    return <>{answer.reasons.length > 0 ? `none: ${clean(answer.reasons[0]!)}` : UNKNOWN}</>
  const value = (v: number | null) =>
    objectiveValue(v, result.objective, instance.tick_us, answer.plan_before)
  const verdict = judge(answer.plan_before, answer.plan_after, minimised(result.objective) ? 'less' : 'more')
  return (
    <span class="number">
      {value(answer.plan_before)} → {value(answer.plan_after)}
      {verdict && <span class={verdict.verdict}> {verdict.text}</span>}
    </span>
  )
}

const KINDS: { kind: WhatIfChange['kind']; name: string }[] = [
  { kind: 'add_gpu', name: 'One more GPU in' },
  { kind: 'fail_gpu', name: 'A GPU fails in' },
  { kind: 'fail_node', name: 'A failure of' },
  { kind: 'network', name: 'A network faster by' },
  { kind: 'link_speed', name: '10 % more speed on' },
  { kind: 'cut_link', name: 'Cut' },
  { kind: 'memory', name: '10 % more memory on every' },
  { kind: 'drop_job', name: 'Without the job' },
]

/** A form for any other change. */
function Ask({ instance, onAsk }: { instance: Compiled; onAsk(change: WhatIfChange): void }) {
  const [kind, setKind] = useState<WhatIfChange['kind']>('add_gpu')
  const [subject, setSubject] = useState('')
  const names = subjects(instance, kind)
  const chosen = names.includes(subject) ? subject : (names[0] ?? '')
  const ask = () =>
    onAsk(
      kind === 'network'
        ? { kind, subject: '', factor: Number(chosen.slice(0, -1)) }
        : kind === 'link_speed' || kind === 'memory'
          ? { kind, subject: chosen, factor: GROWTH }
          : { kind, subject: chosen },
    )
  return (
    <p class="ask">
      <select
        class="select"
        aria-label="Kind of change"
        value={kind}
        onChange={e => setKind(e.currentTarget.value as WhatIfChange['kind'])}
      >
        {KINDS.map(k => (
          <option key={k.kind} value={k.kind}>
            {k.name}
          </option>
        ))}
      </select>
      <select
        class="select"
        aria-label="Of what"
        value={chosen}
        onChange={e => setSubject(e.currentTarget.value)}
      >
        {names.map(name => (
          <option key={name} value={name}>
            {short(name)}
          </option>
        ))}
      </select>
      <button type="button" class="button" disabled={chosen === ''} onClick={ask}>
        Try it
      </button>
    </p>
  )
}

const FACTORS = ['2×', '4×', '10×']

/** The subjects of a kind of change; thousands would be too many to choose from. */
function subjects(instance: Compiled, kind: WhatIfChange['kind']): string[] {
  if (kind === 'network') return FACTORS
  const list =
    kind === 'add_gpu'
      ? instance.nodes
      : kind === 'fail_node'
        ? instance.nodes.slice(instance.nodes.length > 1 ? 0 : 1)
        : kind === 'fail_gpu'
          ? instance.nodes.filter(n => n.gpus > 1)
          : kind === 'memory'
            ? instance.types
            : kind === 'drop_job'
              ? instance.jobs
              : instance.links.filter(l => !l.failed)
  return list.slice(0, 500).map(x => x.name)
}
