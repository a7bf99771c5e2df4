// The effort and the seed of planning.
import { seedOf } from '../keep/snapshot'
import type { Store } from '../state/store'
import { hintOf, Row } from '../ui/fields'

const efforts = [1, 2, 4, 8, 16] as const
const hints = {
  effort: 'How much work a thorough plan takes; the same on every machine.',
  seed: 'The same seed gives the same plan.',
} as const

export function Settings({ store }: { store: Store }) {
  const { seed, effort } = store
  const known = (efforts as readonly number[]).includes(effort.value)
  return (
    <div class="settings">
      <Row class="setting" label="Effort" hint={hints.effort} id="effort">
        <select
          id="effort"
          {...hintOf('effort', hints.effort)}
          class="select"
          value={effort.value}
          onChange={event => (effort.value = Number(event.currentTarget.value))}
        >
          {!known && <option value={effort.value}>{effort.value}×</option>}
          {efforts.map(times => (
            <option key={times} value={times}>
              {times}×
            </option>
          ))}
        </select>
      </Row>
      <Row class="setting" label="Seed" hint={hints.seed} id="seed">
        <input
          id="seed"
          {...hintOf('seed', hints.seed)}
          class="input number seed"
          inputMode="numeric"
          value={seed.value}
          onChange={event => {
            seed.value = seedOf(Number(event.currentTarget.value))
            event.currentTarget.value = String(seed.value)
          }}
        />
      </Row>
    </div>
  )
}
