// The plan and everything about it. The views themselves are in ../views and ../timeline.
import type { Store } from '../state/store'

export function Results({ store }: { store: Store }) {
  const view = store.planning.view.value
  if (!view) return <p class="empty muted">{store.broken.value || 'The first plan is on its way.'}</p>
  return (
    <p class="number">
      {view.instance.name}: {view.value} ticks, bound {view.result?.dual ?? '–'}
    </p>
  )
}
