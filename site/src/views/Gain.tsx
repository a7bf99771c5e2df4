// The gain from SPB, with the switch that shows the same jobs with and without it.

import { Switch } from '../ui/Switch'
import { Term } from '../ui/Term'
import { glossary } from './glossary'
import { gainWords, type Pair } from './words'
import './views.css'

interface GainProps {
  pair: Pair
  /** Whether the plan uses SPB. */
  spb: boolean
  onSpb(spb: boolean): void
}

export function Gain({ pair, spb, onSpb }: GainProps) {
  const words = gainWords(pair)
  const subject = pair.partial ? 'SPB' : 'interleaving'
  return (
    <div class="gain">
      {pair.partial && (
        <Switch
          label="SPB"
          on={spb}
          title="Plan the same jobs with partial backpropagation, or all at full depth"
          onChange={onSpb}
        />
      )}
      {words ? (
        <p>{words}</p>
      ) : (
        <p class="muted">The gain from {subject} is shown once a plan is complete.</p>
      )}
      <Term text={pair.partial ? glossary.spb : glossary.interleaving}>What is {subject}?</Term>
    </div>
  )
}
