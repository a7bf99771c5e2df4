// The keys of the whole page. Single letters work outside text fields.
import type { Store } from '../state/store'
import type { DialogName } from './App'

const dialogs: Readonly<Record<string, DialogName>> = {
  '?': 'help',
  g: 'gallery',
  o: 'library',
  e: 'export',
  s: 'share',
}

export function listenToKeys(store: Store, open: (dialog: DialogName) => void): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return
    const target = event.composedPath()[0]
    const types =
      target instanceof HTMLElement &&
      (target.isContentEditable ||
        target.matches('input:not([type=range], [type=radio], [type=checkbox]), textarea'))
    const control = event.ctrlKey || event.metaKey
    const act = (does: () => unknown) => {
      event.preventDefault()
      does()
    }
    if (control && event.key === 'Enter') return act(() => void store.plan())
    if (event.key === 'Escape') return act(() => store.stop())
    if (types || event.altKey) return
    if (control && event.key.toLowerCase() === 'z')
      return act(() => {
        if (event.shiftKey) store.text.redo()
        else if (store.hand.plan.peek()?.moves) store.hand.undo()
        else store.text.undo()
      })
    if (control && event.key.toLowerCase() === 'y') return act(() => store.text.redo())
    // In a list, letters choose an entry.
    if (target instanceof HTMLSelectElement) return
    // In the timeline, S zooms.
    const zooms = event.key === 's' && target instanceof Element && target.closest('.timeline')
    if (control || zooms) return
    const dialog = dialogs[event.key]
    if (dialog) return act(() => open(dialog))
    if (event.key === 'p') return act(() => store.pin())
    if (event.key === 'b') return act(() => (store.aside.value = !store.aside.peek()))
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}
