// What is not put into the store yet, kept at each change in the tab's own storage: it
// outlives a reload and a crash, also where the store itself does not answer.
import type { Open } from './library'

const key = 'jigsaw.draft'

export interface Draft {
  open: Open
  text: string
  view: string
}

export function keepDraft(draft: Draft | null): void {
  try {
    // Where the new one has no room, the old one must not come back in its place.
    sessionStorage.removeItem(key)
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Full or forbidden: the store is what counts.
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
