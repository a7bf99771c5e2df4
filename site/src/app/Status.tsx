import type { Store } from '../state/store'

export function Status({ store }: { store: Store }) {
  return (
    <div class="status" role="status" aria-live="polite">
      {store.status.value || store.planning.failure.value}
    </div>
  )
}
