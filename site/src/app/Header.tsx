import type { Store } from '../state/store'
import { theme, toggleTheme } from '../state/theme'

export function Header({ store }: { store: Store }) {
  const phase = store.planning.phase.value
  const busy = phase === 'quick' || phase === 'full'
  return (
    <header class="bar">
      <h1 class="brand">JigSaw</h1>
      <div class="spring" />
      {busy ? (
        <button type="button" class="button" onClick={() => store.planning.stop()}>
          Stop
        </button>
      ) : (
        <button type="button" class="button primary" onClick={() => void store.plan()}>
          Plan
        </button>
      )}
      <button
        type="button"
        class="button quiet"
        onClick={toggleTheme}
        aria-label="Dark theme"
        aria-pressed={theme.value === 'dark'}
      >
        {theme.value === 'dark' ? '☾' : '☀'}
      </button>
    </header>
  )
}
