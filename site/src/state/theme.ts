// Light or dark: what the system prefers, unless the visitor chose.
import { computed, effect, signal } from '@preact/signals'

export type Theme = 'light' | 'dark'
type Choice = Theme | 'system'

const key = 'jigsaw.theme'
const system = window.matchMedia('(prefers-color-scheme: dark)')
const prefersDark = signal(system.matches)
system.addEventListener('change', event => {
  prefersDark.value = event.matches
})

const read = (): Choice => {
  // Throws where the browser forbids storage.
  try {
    const kept = localStorage.getItem(key)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}

const choice = signal<Choice>(read())

/** The theme that shows. Canvases draw anew when it changes. */
export const theme = computed<Theme>(() =>
  choice.value === 'system' ? (prefersDark.value ? 'dark' : 'light') : choice.value,
)

export function toggleTheme(): void {
  const next: Theme = theme.value === 'dark' ? 'light' : 'dark'
  // Back at what the system prefers: follow it again.
  choice.value = (next === 'dark') === prefersDark.value ? 'system' : next
  try {
    if (choice.value === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, choice.value)
  } catch {
    // The choice then lasts as long as the page.
  }
}

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
