// Puts the page together.
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/scenario.css'
import './styles/dialogs.css'
import './styles/print.css'
import { render } from 'preact'
import { App } from './app/App'
import type { Starting } from './engine/client'
import { first } from './scenario/gallery/gallery'
import { Session } from './state/session'
import { Sketches } from './state/sketches'
import { Store } from './state/store'
import { registerWorker } from './state/update'

export async function start(starting: Starting): Promise<void> {
  const store = new Store()
  // If there is room for both.
  if (window.innerWidth >= 1600) store.scenarioMode.value = 'both'
  const sketches = new Sketches(starting.spare, store.engine)
  const session = new Session(store, new BroadcastChannel('jigsaw'), first)
  void starting.ready.then(ready => {
    store.ready.value = ready
  })
  starting.onCrash = message => {
    store.status.value = `The planner failed and was restarted: ${message}`
  }
  store.loaded.value = starting.bytes
  starting.onBytes = bytes => {
    store.loaded.value = bytes
  }
  starting.engine.then(
    engine => store.attach(engine),
    reason => store.fail(reason),
  )
  // In separate tasks, so that none is long.
  const later = () => new Promise(resolve => setTimeout(resolve))
  await later()
  const root = document.getElementById('app')
  if (root) render(<App session={session} sketches={sketches} />, root)
  await later()
  await session.start()
  // The first plan waits for the text to be read, so that comes first.
  await later()
  void learn(store)
  // It loads all files: on a slow network, what the page itself waits for comes first.
  if (import.meta.env.PROD) void starting.ready.then(() => setTimeout(() => void registerWorker(), 3000))
}

/** Asks for what the forms and the editor offer. Without an engine they work without it. */
async function learn({ engine, profiles, schema }: Store): Promise<void> {
  try {
    ;[profiles.value, schema.value] = await Promise.all([
      engine.call('profiles', {}),
      engine.call('schema', { kind: 'instance' }),
    ])
  } catch {
    // A missing engine is reported in place of the plan.
  }
}
