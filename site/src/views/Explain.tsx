// Why the plan is no better: what binds, what a change would do, and why a job ends when
// it does.

import type { Binding } from '../engine/api'
import { clean } from './format'
import type { ExplainProps } from './props'
import './views.css'
import { WhatIfs } from './WhatIfs'
import { Why } from './Why'

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
                title="By how much the bound changes where there is 1 % more of it, as the prices tell"
              >
                <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="meter-ground" width="100" height="4" />
                  <rect class="meter-fill" width={100 * Math.min(Math.abs(b.effect), 1)} height="4" />
                </svg>
                <span class="number">
                  1 % {b.resource === 'job' ? 'faster' : 'more'}: {b.effect > 0 && '+'}
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
  return line.charAt(0).toUpperCase() + line.slice(1) + (line.endsWith('.') ? '' : '.')
}
