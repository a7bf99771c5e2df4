// The service worker: registered after the first plan, and asked for a new version when the
// page is opened.
import { signal } from '@preact/signals'

/** Activates the waiting version, by a reload; null if there is none. */
export const update = signal<(() => void) | null>(null)

export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    const registration = await navigator.serviceWorker.register('./sw.js')
    const offer = (waiting: ServiceWorker | null) => {
      // Without a controller this is the first visit, and nothing is replaced.
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
    // Private windows and plain http forbid it: then the page needs the network.
  }
}
