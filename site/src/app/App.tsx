import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Session } from '../state/session'
import type { Sketches } from '../state/sketches'
import { update } from '../state/update'
import { Later } from '../ui/Later'
import { part } from '../ui/part'
import { listenToDrops } from './drop'
import { ExportDialog } from './ExportDialog'
import { Header } from './Header'
import { HelpDialog } from './HelpDialog'
import { listenToKeys } from './keys'
import { LibraryDialog } from './LibraryDialog'
import { Results } from './Results'
import { ScenarioPane } from './ScenarioPane'
import { Tour } from './Tour'
import { Welcome } from './Welcome'

const GalleryDialog = part(() => import('./GalleryDialog').then(module => module.GalleryDialog))
const ShareDialog = part(() => import('./ShareDialog').then(module => module.ShareDialog))

export type DialogName = 'gallery' | 'library' | 'export' | 'share' | 'help'

export function App({ session, sketches }: { session: Session; sketches: Sketches }) {
  const { store } = session
  const dialog = useSignal<{ name: DialogName } | null>(null)
  const tour = useSignal(false)
  const onTour = () => {
    session.welcomed()
    dialog.value = null
    tour.value = true
  }
  const shown = dialog.value
  const open = (name: DialogName) => {
    dialog.value = { name }
  }
  // Closes this dialog only: one of the same name may have been opened again before the browser reports that this one is closed.
  const close = () => {
    if (dialog.peek() === shown) dialog.value = null
  }
  useEffect(() => listenToKeys(store, open), [])
  useEffect(() => listenToDrops(session), [])
  const name = store.reading.value.instance?.name
  useEffect(() => {
    document.title = name ? `${name} · JigSaw` : 'JigSaw'
  }, [name])
  const pane = store.pane.value
  return (
    <div class={`shell shows-${pane}${store.aside.value ? '' : ' alone'}`}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page that may have to be shown first. */}
      <a
        class="skip"
        href="#plan"
        onClick={() => {
          // The plan may be hidden on a narrow screen.
          store.pane.value = 'plan'
          requestAnimationFrame(() => document.getElementById('plan')?.focus())
        }}
      >
        Skip to the plan
      </a>
      <Header session={session} open={open} />
      {store.alert.value && (
        <div class="banner alarm" role="alert">
          <span>{store.alert.value}</span>
          <button type="button" class="button quiet" onClick={() => (store.alert.value = '')}>
            Close
          </button>
        </div>
      )}
      {update.value && (
        <div class="banner" role="status">
          <span>A new version of this page is available.</span>
          <button
            type="button"
            class="button"
            onClick={() => void session.library.flush().finally(() => update.value?.())}
          >
            Reload
          </button>
        </div>
      )}
      <main>
        <Later>
          <ScenarioPane store={store} />
        </Later>
        <section id="plan" class="results" tabIndex={-1} aria-label="Plan">
          <Results
            store={store}
            welcome={
              store.welcome.value && (
                <Welcome
                  store={store}
                  onGallery={() => open('gallery')}
                  onTour={onTour}
                  onClose={() => session.welcomed()}
                />
              )
            }
          />
        </section>
      </main>
      <nav class="switch" aria-label="Parts of the page">
        {(['scenario', 'plan'] as const).map(name => (
          <button
            key={name}
            type="button"
            class="button quiet"
            aria-pressed={pane === name}
            onClick={() => (store.pane.value = name)}
          >
            {name === 'scenario' ? 'Scenario' : 'Plan'}
          </button>
        ))}
      </nav>
      <div class="status" role="status" aria-live="polite">
        {store.planning.failure.value ||
          store.status.value ||
          (store.planning.view.value &&
            !store.ready.value &&
            'This is a first plan: the search and the linear-programming bounds are still loading.')}
      </div>
      {tour.value && <Tour session={session} onClose={() => (tour.value = false)} />}
      {shown?.name === 'gallery' && (
        <GalleryDialog key={shown} session={session} sketches={sketches} onClose={close} />
      )}
      {shown?.name === 'library' && <LibraryDialog key={shown} session={session} onClose={close} />}
      {shown?.name === 'export' && <ExportDialog key={shown} store={store} onClose={close} />}
      {shown?.name === 'share' && <ShareDialog key={shown} session={session} onClose={close} />}
      {shown?.name === 'help' && <HelpDialog key={shown} store={store} onTour={onTour} onClose={close} />}
    </div>
  )
}
