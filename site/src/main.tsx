import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/scenario.css'
import './styles/dialogs.css'
import { render } from 'preact'
import { App } from './app/App'
import { startEngine } from './engine/client'
import { first } from './scenario/gallery/gallery'
import { Session } from './state/session'
import { Store } from './state/store'
import { registerWorker } from './state/update'

const store = new Store()
const session = new Session(store, new BroadcastChannel('jigsaw'), first)

startEngine({
  onReady: ready => {
    store.ready.value = ready
  },
  onCrash: message => {
    store.status.value = `The planner failed and was started anew: ${message}`
  },
}).then(
  engine => {
    store.attach(engine)
    void engine.call('profiles', {}).then(profiles => (store.profiles.value = profiles))
    void engine.call('schema', { kind: 'instance' }).then(schema => (store.schema.value = schema))
  },
  error => {
    store.broken.value = error instanceof Error ? error.message : String(error)
  },
)

// In tasks of their own, so that none is long.
const later = () => new Promise(resolve => setTimeout(resolve))
const root = document.getElementById('app')
void (async () => {
  await later()
  if (root) render(<App session={session} />, root)
  await later()
  await session.start()
})()
if (import.meta.env.PROD) window.addEventListener('load', () => setTimeout(() => void registerWorker(), 3000))
