// Changes that are not in the store yet, kept at each change in the tab's own storage: they
// survive a reload and a crash, even if the store itself does not answer.
import type { Open } from './library'

const key = 'jigsaw.draft'

export interface Draft {
  open: Open
  text: string
  view: string
}

export function keepDraft(draft: Draft | null): void {
  try {
    // If there is no room for the new draft, the old one must not come back in its place.
    sessionStorage.removeItem(key)
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Storage is full or forbidden: only the store matters then.
  }
}

export function readDraft(): Draft | null {
  try {
    const draft = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Draft> | null
    return typeof draft?.text === 'string' &&
      typeof draft.view === 'string' &&
      typeof draft.open?.id === 'string'
      ? (draft as Draft)
      : null
  } catch {
    return null
  }
}
