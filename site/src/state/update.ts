// The service worker: registered after the first plan has had its time, and asked for a new
// version when the page is opened.
import { signal } from '@preact/signals'

/** Takes the version that waits, by a reload; null where none does. */
export const update = signal<(() => void) | null>(null)

export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    const registration = await navigator.serviceWorker.register('./sw.js')
    const offer = (waiting: ServiceWorker | null) => {
      // Without a controller this is the first visit: nothing is replaced.
      if (!waiting || !navigator.serviceWorker.controller) return
      update.value = () => {
        navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
        waiting.postMessage('take over')
      }
    }
    offer(registration.waiting)
    registration.addEventListener('updatefound', () => {
      const coming = registration.installing
      coming?.addEventListener('statechange', () => {
        if (coming.state === 'installed') offer(coming)
      })
    })
  } catch {
    // Private windows and plain http forbid it: the page then needs its network.
  }
}
