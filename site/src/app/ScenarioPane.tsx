// The scenario at the left: as a form, as text, or both, kept in step.
import { useSignal } from '@preact/signals'
import type { Problem } from '../engine/api'
import { ScenarioForm } from '../scenario/form/ScenarioForm'
import { Problems } from '../scenario/Problems'
import type { Store } from '../state/store'
import { CONTROL } from '../ui/control'
import { Icon } from '../ui/icons'
import { part } from '../ui/part'
import { Segmented } from '../ui/Segmented'

// The editor's code is as large as all the rest: the first plan does not wait for it.
const Editor = part(() => import('../scenario/editor/Editor').then(module => module.default))

const modes = [
  ['form', 'Form'],
  ['both', 'Both'],
  ['yaml', 'YAML'],
] as const

export function ScenarioPane({ store }: { store: Store }) {
  const mode = store.scenarioMode.value
  const wanted = useSignal<Problem | null>(null)
  const goToText = ({ line, column }: Problem) => {
    if (store.scenarioMode.value === 'form') store.scenarioMode.value = 'yaml'
    store.text.goTo(line, column)
  }
  const { undo, redo } = store.text.undoable.value
  return (
    <section id="scenario" class="scenario" aria-label="Scenario" tabIndex={-1}>
      <div class="tools">
        <Segmented
          label="Scenario as"
          options={modes}
          value={mode}
          onChange={value => (store.scenarioMode.value = value)}
        />
        <div class="spring" />
        <button
          type="button"
          class="button quiet icon"
          title={`Undo (${CONTROL}+Z)`}
          aria-label="Undo"
          disabled={undo === 0}
          onClick={() => store.text.undo()}
        >
          <Icon name="undo" />
        </button>
        <button
          type="button"
          class="button quiet icon"
          title={`Redo (${CONTROL}+Y)`}
          aria-label="Redo"
          disabled={redo === 0}
          onClick={() => store.text.redo()}
        >
          <Icon name="redo" />
        </button>
      </div>
      <div class={`scenario-body as-${mode}`}>
        {mode !== 'yaml' && <ScenarioForm store={store} wanted={wanted} onLost={goToText} />}
        {mode !== 'form' && <Editor store={store} />}
      </div>
      <Problems
        store={store}
        onGo={problem => {
          if (mode === 'form') wanted.value = problem
          else goToText(problem)
        }}
      />
    </section>
  )
}
