// Parts of the page that are loaded when they are first shown. Suspense does not work here: an update
// that arrives while it waits, as from a search, can throw (Preact 11.2).
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component that is loaded lazily; if that fails, a message is shown in its place. */
export function part<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  return function Part(props: P) {
    const [state, setState] = useState<'coming' | 'here' | 'missing'>(loaded ? 'here' : 'coming')
    useEffect(() => {
      let shown = true
      const tell = (next: typeof state) => shown && setState(next)
      if (!loaded)
        load().then(
          component => {
            loaded = component
            tell('here')
          },
          () => tell('missing'),
        )
      return () => {
        shown = false
      }
    }, [])
    const Loaded = loaded
    if (state === 'here' && Loaded) return <Loaded {...props} />
    return state === 'missing' ? (
      <p class="empty alarm" role="alert">
        This part of the page could not be loaded: check the network and reload the page.
      </p>
    ) : (
      <p class="empty muted">Loading.</p>
    )
  }
}
