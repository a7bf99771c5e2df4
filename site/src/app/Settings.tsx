// How hard to plan, and by which seed.
import { seedOf } from '../keep/snapshot'
import type { Store } from '../state/store'

const efforts = [1, 2, 4, 8, 16] as const

export function Settings({ store }: { store: Store }) {
  const { seed, effort } = store
  const known = (efforts as readonly number[]).includes(effort.value)
  return (
    <div class="settings">
      <label>
        <span>Effort</span>
        <select
          class="select"
          value={effort.value}
          title="How much work a thorough plan does; the same everywhere"
          onChange={event => (effort.value = Number(event.currentTarget.value))}
        >
          {!known && <option value={effort.value}>{effort.value}×</option>}
          {efforts.map(times => (
            <option key={times} value={times}>
              {times}×
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Seed</span>
        <input
          class="input number seed"
          inputMode="numeric"
          value={seed.value}
          title="The same seed gives the same plan"
          onChange={event => {
            seed.value = seedOf(Number(event.currentTarget.value))
            event.currentTarget.value = String(seed.value)
          }}
        />
      </label>
    </div>
  )
}
