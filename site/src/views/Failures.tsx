// What the failure of each link and node would do: a table, greatest harm first, and the network
// coloured by that harm. A failure can be applied to the scenario.
import { useState } from 'preact/hooks'
import type { Compiled, Failure, Harm, ResilienceAnswer, WhatIfChange } from '../engine/api'
import { Picture } from '../ui/Picture'
import { Term } from '../ui/Term'
import { capital, clean, decimal, objectiveValue, plural, short, UNKNOWN } from './format'
import { glossary } from './glossary'
import type { FailuresState } from './props'
import { Scroller } from './Scroller'
import './views.css'
import { harmOf } from './words'

interface FailuresProps {
  instance: Compiled
  /** Whether it is proven that there is no plan. */
  infeasible: boolean
  state: FailuresState
  onLook(): void
  onStop(): void
  /** Applies the failure to the scenario; words describe it. */
  onFail(change: WhatIfChange, words: string): void
}

export function Failures({ instance, infeasible, state, onLook, onStop, onFail }: FailuresProps) {
  const { progress, answer, error } = state
  if (instance.periodic)
    return <p class="empty muted">Failures are examined only for plans that run once: this one repeats.</p>
  if (infeasible)
    return (
      <p class="empty muted">
        There is no plan that a failure could harm. Change what the reasons above name, or undo the last
        change: then failures can be examined.
      </p>
    )
  return (
    <section class="explain" aria-label="Failures">
      <section>
        <h2>What if a link or a node fails?</h2>
        <p class="muted">
          Every link (one direction) and every node fails in turn. Each time the plan is repaired at once,
          keeping its order, and also planned again from scratch. All plans are quick plans, so the new one
          may be better by chance.
        </p>
        <p class="ask">
          {progress ? (
            <>
              <progress
                aria-label="Failures examined"
                {...(progress.of > 0 && { value: progress.done, max: progress.of })}
              />
              <span class="muted number">
                {progress.of > 0 ? `${decimal(progress.done)} of ${decimal(progress.of)}` : 'the plan …'}
              </span>
              <button type="button" class="button" onClick={onStop}>
                Stop looking
              </button>
            </>
          ) : (
            <button type="button" class="button" onClick={onLook}>
              {answer ? 'Look again' : 'Look at every failure'}
            </button>
          )}
        </p>
        {error && (
          <p class="bad-text" role="alert">
            {clean(error)}
          </p>
        )}
      </section>
      {answer && answer.plan === null && (
        <p class="empty muted">There is no plan that a failure could harm.</p>
      )}
      {answer && answer.plan !== null && <Found {...{ instance, answer, onFail }} />}
    </section>
  )
}

/** The number of rows shown at first. */
const FEW = 40

function Found({
  instance,
  answer,
  onFail,
}: Pick<FailuresProps, 'instance' | 'onFail'> & { answer: ResilienceAnswer }) {
  const [all, setAll] = useState(false)
  const harmful = answer.harm.filter(h => h.touched.length > 0 || h.infeasible)
  const harmless = answer.harm.length - harmful.length
  const hopeless = harmful.filter(h => h.infeasible)
  const shown = all ? harmful : harmful.slice(0, FEW)
  const value = (v: number | null) => objectiveValue(v, answer.objective, instance.tick_us, answer.plan)
  const fail = (failure: Failure) => onFail(changeOf(failure), `${capital(nameOf(failure))} fails`)
  return (
    <section>
      <p class="muted">
        {answer.interrupted && `Stopped after ${decimal(answer.harm.length)} of ${decimal(answer.cases)}. `}
        Without failures, in a quick plan: {value(answer.plan)}, bound {value(answer.dual_bound)}.
      </p>
      <Scroller label="The network, coloured by harm">
        <Picture
          svg={answer.picture}
          label={`The network: each link and node is coloured by the harm that its failure does. The table below says the same.`}
          onPick={({ dataset: { link, node } }) => {
            if (link || node) fail(link ? { link } : { node: node! })
          }}
        />
      </Scroller>
      {harmful.length > 0 && (
        <Scroller label="Failures">
          <table class="data failures">
            <caption class="hidden-visually">Failures, the greatest harm first</caption>
            <thead>
              <tr>
                <th scope="col">What fails</th>
                {(
                  [
                    ['Jobs affected', glossary.touched],
                    ['Repaired at once', glossary.repaired],
                    ['Replanned', glossary.replanned],
                    ['Bound', glossary.bound],
                  ] as const
                ).map(([name, text]) => (
                  <th key={name} scope="col">
                    <Term text={text}>{name}</Term>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(h => (
                <Row
                  key={nameOf(h.failures[0]!)}
                  {...{ answer, value, h }}
                  onFail={() => fail(h.failures[0]!)}
                />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      {harmful.length > shown.length && (
        <p>
          <button type="button" class="link" onClick={() => setAll(true)}>
            {plural(harmful.length - shown.length, 'failure')} more
          </button>
        </p>
      )}
      {harmless > 0 && (
        <p class="muted">
          {harmless === 1 ? 'One failure affects' : `${capital(plural(harmless, 'failure'))} affect`} no job
          of this plan.
        </p>
      )}
      {hopeless.length > 0 && (
        <>
          <h2>Why there is no plan then</h2>
          <ul class="notes">
            {hopeless.map(h => (
              <li key={nameOf(h.failures[0]!)}>
                {nameOf(h.failures[0]!)}: {h.infeasible!.map(clean).join('; ')}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

interface RowProps {
  answer: ResilienceAnswer
  /** In words. */
  value(v: number | null): string
  h: Harm
  onFail(): void
}

function Row({ answer, value, h, onFail }: RowProps) {
  const name = nameOf(h.failures[0]!)
  const beside = (v: number | null) => {
    const verdict = harmOf(answer.plan, v, answer.objective)
    return (
      <span class="number">
        {value(v)}
        {verdict && <span class={verdict.verdict}> {verdict.text}</span>}
      </span>
    )
  }
  return (
    // For the keyboard, the button in the row does the same.
    <tr class="choice" onClick={onFail}>
      <th scope="row">
        <button type="button" class="link" aria-label={`Let ${name} fail`}>
          {name}
        </button>
      </th>
      <td title={h.touched.join(', ')}>
        {decimal(h.touched.length)}
        {h.moved && <span class="muted">, {decimal(h.moved.length)} moved</span>}
      </td>
      <td {...(h.unrepaired && { title: clean(h.unrepaired) })}>
        {h.repaired === null ? UNKNOWN : beside(h.repaired)}
      </td>
      <td>{h.infeasible ? <span class="bad-text">no plan</span> : beside(h.replanned)}</td>
      <td class="number">{value(h.dual_bound)}</td>
    </tr>
  )
}

const nameOf = ({ link, node }: Failure) => (node ? `node ${short(node)}` : `link ${short(link ?? '')}`)

const changeOf = ({ link, node }: Failure): WhatIfChange =>
  node ? { kind: 'fail_node', subject: node } : { kind: 'cut_link', subject: link ?? '' }
