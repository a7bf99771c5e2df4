// Why the plan is no better: what limits the bound, what a change would do, and why a job ends
// when it does.

import { Term } from '../ui/Term'
import { capital, clean } from './format'
import { glossary } from './glossary'
import { LongWhy } from './LongWhy'
import type { ExplainProps } from './props'
import './views.css'
import { WhatIfs } from './WhatIfs'
import { Why } from './Why'
import { limitsWords } from './words'

export function Explain(props: ExplainProps) {
  const { result } = props
  return (
    <section class="explain" aria-label="Explanation">
      {result.status === 'infeasible' ? (
        <section>
          <p class="muted">
            There is no plan to explain. Change what the reasons above name, or undo the last change.
          </p>
        </section>
      ) : (
        <>
          <Binds {...props} />
          <WhatIfs {...props} />
          {result.schedule && !props.instance.periodic && <Why {...props} schedule={result.schedule} />}
          {!result.schedule && result.long && <LongWhy {...props} plan={result.long} />}
        </>
      )}
    </section>
  )
}

/** What limits the bound, strongest first. */
function Binds({ instance, result }: ExplainProps) {
  const sorted = [...result.binding].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
  return (
    <section>
      <h2>
        <Term text={glossary.binds}>What limits it</Term>
      </h2>
      <p class="muted">
        {sorted.length === 0
          ? `What limits it ${result.stopped ? 'is shown once a plan is complete' : 'is not known'}.`
          : limitsWords(result, instance.objective, instance.tick_us)}
      </p>
      <ul class="binds">
        {sorted.map(b => (
          <li key={`${b.resource}|${b.subject}`}>
            <span>{sentence(b.text)}</span>
            {b.effect !== 0 && (
              <span class="bind-effect">
                <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="meter-ground" width="100" height="4" />
                  <rect class="meter-fill" width={100 * Math.min(Math.abs(b.effect), 1)} height="4" />
                </svg>
                <span class="number">
                  1 % {b.resource === 'job' ? 'faster' : 'more'}: bound {b.effect > 0 && '+'}
                  {b.effect.toFixed(2).replace('-', '\u2212')} %
                </span>
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
  return capital(line) + (line.endsWith('.') ? '' : '.')
}
