import type { Store } from '../state/store'

export function ScenarioPane({ store }: { store: Store }) {
  return (
    <section class="scenario" aria-label="Scenario">
      <textarea
        class="input"
        aria-label="Scenario as YAML"
        value={store.text.text.value}
        onInput={event => store.text.edit(event.currentTarget.value)}
      />
    </section>
  )
}
