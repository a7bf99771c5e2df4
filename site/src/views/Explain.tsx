// Why the plan is no better: what binds, what a change would do, and why a job ends when
// it does.

import { useState } from 'preact/hooks'
import type {
  Binding,
  ChainLink,
  Compiled,
  PlanResult,
  Schedule,
  WhatIfAnswer,
  WhatIfChange,
} from '../engine/api'
import { candidates, GROWTH, labelOf, sameChange } from './candidates'
import { change, clean, instant, minimised, objectiveValue, plural, short, UNKNOWN } from './format'
import { Reasons } from './Numbers'
import type { ExplainProps, Selection, WhatIfState } from './props'
import { Scroller } from './Scroller'
import { opening, type Passage, passages } from './story'
import './views.css'
import { judge } from './words'

export function Explain(props: ExplainProps) {
  const { result } = props
  return (
    <section class="explain" aria-label="Explanation">
      {result.status === 'infeasible' ? (
        <section>
          <h2>Why there is no plan</h2>
          <Reasons reasons={result.reasons} />
        </section>
      ) : (
        <>
          <Binds binding={result.binding} />
          <WhatIfs {...props} />
          {result.schedule && !props.instance.periodic && <Why {...props} schedule={result.schedule} />}
        </>
      )}
    </section>
  )
}

/** What limits the bound, the strongest first. */
function Binds({ binding }: { binding: readonly Binding[] }) {
  const sorted = [...binding].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
  return (
    <section>
      <h2>What limits it</h2>
      {sorted.length === 0 && <p class="muted">No limit is known.</p>}
      <ul class="binds">
        {sorted.map(b => (
          <li key={`${b.resource}|${b.subject}`}>
            <span>{sentence(b.text)}</span>
            {b.effect !== 0 && (
              <span
                class="bind-effect"
                title="Relative change of the bound per relative growth of the resource"
              >
                <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="meter-ground" width="100" height="4" />
                  <rect class="meter-fill" width={100 * Math.min(Math.abs(b.effect), 1)} height="4" />
                </svg>
                <span class="number">price {b.effect.toFixed(2).replace('-', '\u2212')}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function sentence(text: string): string {
  const line = clean(text)
  return line.charAt(0).toUpperCase() + line.slice(1) + (line.endsWith('.') ? '' : '.')
}

function WhatIfs(props: ExplainProps) {
  const { instance, result, whatIfs } = props
  const offered = candidates(instance, result).map(c => c.change)
  const asked = whatIfs.map(w => w.change).filter(c => !offered.some(o => sameChange(o, c)))
  return (
    <section>
      <h2>What would help</h2>
      <p class="muted">
        The prices of the bound predict what a change is worth; solving anew verifies it. Plans before and
        after are quick ones.
      </p>
      <Scroller label="Changes of the cluster">
        <table class="data whatif">
          <caption class="hidden-visually">Changes of the cluster and what they do</caption>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">Bound, predicted</th>
              <th scope="col">Bound, verified</th>
              <th scope="col">Plan</th>
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
                onTakeOver={props.onTakeOver}
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
  onTakeOver(text: string): void
}

function WhatIfRow({ instance, result, change: asked, state, onAsk, onTakeOver }: WhatIfRowProps) {
  const label = labelOf(instance, asked)
  const answer = state?.answer ?? null
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>
        {answer ? (answer.predicted === null ? 'the prices do not tell' : change(answer.predicted)) : UNKNOWN}
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
          <button
            type="button"
            class="button"
            onClick={() => onTakeOver(answer.text)}
            aria-label={`Take over: ${label}`}
          >
            Take over
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
  const value = (v: number | null) => objectiveValue(v, result.objective, instance.tick_us)
  const verdict = judge(answer.plan_before, answer.plan_after, minimised(result.objective) ? 'less' : 'more')
  return (
    <span class="number">
      {value(answer.plan_before)} → {value(answer.plan_after)}
      {verdict && <span class={verdict.verdict}> {verdict.text}</span>}
    </span>
  )
}

const KINDS: { kind: WhatIfChange['kind']; name: string }[] = [
  { kind: 'add_gpu', name: 'One GPU more in' },
  { kind: 'link_speed', name: '10 % more speed on' },
  { kind: 'cut_link', name: 'Cut' },
  { kind: 'memory', name: '10 % more memory on every' },
  { kind: 'drop_job', name: 'Without the job' },
]

/** Asks about anything else. */
function Ask({ instance, onAsk }: { instance: Compiled; onAsk(change: WhatIfChange): void }) {
  const [kind, setKind] = useState<WhatIfChange['kind']>('add_gpu')
  const [subject, setSubject] = useState('')
  const names = subjects(instance, kind)
  const chosen = names.includes(subject) ? subject : (names[0] ?? '')
  const ask = () =>
    onAsk(
      kind === 'link_speed' || kind === 'memory'
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

/** What a kind of change can be about; thousands would not be a choice. */
function subjects(instance: Compiled, kind: WhatIfChange['kind']): string[] {
  const list =
    kind === 'add_gpu'
      ? instance.nodes
      : kind === 'memory'
        ? instance.types
        : kind === 'drop_job'
          ? instance.jobs
          : instance.links.filter(l => !l.failed)
  return list.slice(0, 500).map(x => x.name)
}

/** How many passages are told before one asks for more. */
const FEW = 8

function Why({
  instance,
  result,
  schedule,
  job,
  onJob,
  chain,
  selection,
  onSelect,
}: ExplainProps & { schedule: Schedule }) {
  const [all, setAll] = useState(false)
  const lastJob = result.completion.reduce(
    (best, end, j) => (end > (result.completion[best] ?? -1) ? j : best),
    0,
  )
  const shown = job ?? lastJob
  const links = chain ?? (shown === lastJob ? result.chain : null)
  const story = links ? passages(instance, schedule, links) : []
  return (
    <section>
      <h2>
        <label>
          Why does{' '}
          <select class="select" value={shown} onChange={e => onJob(Number(e.currentTarget.value))}>
            {instance.jobs.map((spec, j) => (
              <option key={j} value={j}>
                {short(spec.name)}
                {j === lastJob ? ' (the last)' : ''}
              </option>
            ))}
          </select>{' '}
          end when it does?
        </label>
      </h2>
      {links === null ? (
        <p class="muted">Following its chain …</p>
      ) : story.length === 0 ? (
        <p class="muted">Its chain is not known.</p>
      ) : (
        <>
          <p>
            {short(instance.jobs[shown]?.name ?? '')} ends at{' '}
            {instant(result.completion[shown] ?? 0, instance.tick_us, 1)}. {opening(schedule, links, shown)}
          </p>
          <Scroller label="The chain">
            <table class="data story">
              <caption class="hidden-visually">The chain, from late to early</caption>
              <thead>
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">From</th>
                  <th scope="col">To</th>
                  <th scope="col">Not sooner because</th>
                </tr>
              </thead>
              <tbody>
                {story.slice(0, all ? story.length : FEW).map((p, n) => (
                  <PassageRow
                    key={n}
                    passage={p}
                    schedule={schedule}
                    tickUs={instance.tick_us}
                    selection={selection}
                    onSelect={onSelect}
                  />
                ))}
              </tbody>
            </table>
          </Scroller>
          {story.length > FEW && !all && (
            <button type="button" class="link" onClick={() => setAll(true)}>
              {plural(story.length - FEW, 'earlier part')}
            </button>
          )}
        </>
      )}
    </section>
  )
}

/** How many single links are listed: who wants to see more follows them in the timeline. */
const MOST_LINKS = 60

interface PassageRowProps {
  passage: Passage
  schedule: Schedule
  tickUs: number
  selection: Selection | null
  onSelect(selection: Selection): void
}

function PassageRow({ passage, schedule, tickUs, selection, onSelect }: PassageRowProps) {
  const of = (link: ChainLink): Selection => {
    const rows = link.kind === 'task' ? schedule.tasks : schedule.syncs
    return {
      job: rows.job[link.index]!,
      iteration: rows.iteration[link.index]!,
      gpu: link.kind === 'task' ? schedule.tasks.gpu[link.index]! : null,
    }
  }
  const element = (link: ChainLink, text: string) => {
    const s = of(link)
    const picked = selection?.job === s.job && selection.iteration === s.iteration && selection.gpu === s.gpu
    return (
      <button type="button" class={picked ? 'link picked' : 'link'} onClick={() => onSelect(s)}>
        {text}
      </button>
    )
  }
  // A passage is picked by its latest element: there the story goes on from what was read before.
  return (
    <tr>
      <th scope="row">
        {element(passage.links[0]!, passage.what)}
        {passage.links.length > 1 && (
          <details>
            <summary class="muted">{passage.links.length} links</summary>
            <ol reversed start={passage.links.length}>
              {passage.links.slice(0, MOST_LINKS).map(link => (
                <li key={`${link.kind}${link.index}`}>{element(link, clean(link.text))}</li>
              ))}
            </ol>
            {passage.links.length > MOST_LINKS && (
              <p class="muted">and {passage.links.length - MOST_LINKS} more</p>
            )}
          </details>
        )}
      </th>
      <td>{instant(passage.from, tickUs, 1, passage.to)}</td>
      <td>{instant(passage.to, tickUs, 1)}</td>
      <td>{passage.because}</td>
    </tr>
  )
}
