import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/scenario.css'
import { render } from 'preact'
import quickstart from '../../testdata/examples/quickstart.yaml?raw'
import { App } from './app/App'
import { startEngine } from './engine/client'
import { Store } from './state/store'

const store = new Store(quickstart)

startEngine({
  onReady: ready => {
    store.ready.value = ready
  },
  onCrash: message => {
    store.status.value = `The planner failed and was started anew: ${message}`
  },
}).then(
  engine => store.attach(engine),
  error => {
    store.broken.value = error instanceof Error ? error.message : String(error)
  },
)

const root = document.getElementById('app')
if (root) render(<App store={store} />, root)
