// How much the browser stores for the page, and whether it guarantees to keep it.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const size = (bytes: number) =>
  bytes < 1e6
    ? `${Math.round(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`

export function useStorage() {
  const quota = useSignal('')
  /** Whether the browser may delete what is stored when space runs low. */
  const droppable = useSignal(false)
  useEffect(() => {
    void navigator.storage?.estimate?.().then(
      ({ usage, quota: most }) => {
        if (usage !== undefined && most) quota.value = `${size(usage)} of ${size(most)} in use.`
      },
      () => {},
    )
    void navigator.storage?.persisted?.().then(
      kept => {
        droppable.value = !kept
      },
      () => {},
    )
  }, [])
  /** Returns whether the browser keeps it from now on. */
  const persist = async () => {
    const kept = await navigator.storage.persist()
    droppable.value = !kept
    return kept
  }
  return { quota: quota.value, droppable: droppable.value, persist }
}
