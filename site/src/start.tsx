// Puts the page together.
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/scenario.css'
import './styles/dialogs.css'
import { render } from 'preact'
import { App } from './app/App'
import type { Starting } from './engine/client'
import { first } from './scenario/gallery/gallery'
import { Session } from './state/session'
import { Store } from './state/store'
import { registerWorker } from './state/update'

export async function start(starting: Starting): Promise<void> {
  const store = new Store()
  // Where there is room for both.
  if (window.innerWidth >= 1600) store.scenarioMode.value = 'both'
  const session = new Session(store, new BroadcastChannel('jigsaw'), first)
  void starting.ready.then(ready => {
    store.ready.value = ready
  })
  starting.onCrash = message => {
    store.status.value = `The planner failed and was started anew: ${message}`
  }
  void attach(store, starting)
  // In tasks of their own, so that none is long.
  const later = () => new Promise(resolve => setTimeout(resolve))
  await later()
  const root = document.getElementById('app')
  if (root) render(<App session={session} />, root)
  await later()
  await session.start()
  // What is not needed for the first plan waits for it.
  if (import.meta.env.PROD) setTimeout(() => void registerWorker(), 3000)
}

async function attach(store: Store, starting: Starting): Promise<void> {
  try {
    const engine = await starting.engine
    store.attach(engine)
    const [profiles, schema] = await Promise.all([
      engine.call('profiles', {}),
      engine.call('schema', { kind: 'instance' }),
    ])
    store.profiles.value = profiles
    store.schema.value = schema
  } catch (error) {
    if (!store.hasEngine.peek()) store.fail(error instanceof Error ? error : new Error(String(error)))
  }
}
