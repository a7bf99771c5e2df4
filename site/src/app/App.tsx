import type { Store } from '../state/store'
import { Header } from './Header'
import { Results } from './Results'
import { ScenarioPane } from './ScenarioPane'
import { Status } from './Status'

export function App({ store }: { store: Store }) {
  return (
    <div class="shell">
      <a class="skip" href="#plan">
        Skip to the plan
      </a>
      <Header store={store} />
      <ScenarioPane store={store} />
      <main id="plan" class="results" tabIndex={-1}>
        <Results store={store} />
      </main>
      <Status store={store} />
    </div>
  )
}
