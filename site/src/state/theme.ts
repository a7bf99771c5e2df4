// Light or dark: the system's preference, unless the visitor chose.
import { computed, effect, signal } from '@preact/signals'
import { read, write } from '../keep/local'

export type Theme = 'light' | 'dark'
type Choice = Theme | 'system'

const key = 'jigsaw.theme'
const system = window.matchMedia('(prefers-color-scheme: dark)')
const prefersDark = signal(system.matches)
system.addEventListener('change', event => {
  prefersDark.value = event.matches
})

const kept = read(key)
const choice = signal<Choice>(kept === 'light' || kept === 'dark' ? kept : 'system')

/** The current theme. Canvases are redrawn when it changes. */
export const theme = computed<Theme>(() =>
  choice.value === 'system' ? (prefersDark.value ? 'dark' : 'light') : choice.value,
)

export function toggleTheme(): void {
  const next: Theme = theme.value === 'dark' ? 'light' : 'dark'
  // The same as the system's preference: follow it again.
  choice.value = (next === 'dark') === prefersDark.value ? 'system' : next
  write(key, choice.value === 'system' ? null : choice.value)
}

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
