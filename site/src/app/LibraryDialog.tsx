// The scenarios that are kept in this browser, and the history of each.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Scenario } from '../engine/api'
import type { Session } from '../state/session'
import { Dialog } from '../ui/Dialog'
import { Icon } from '../ui/icons'

const when = (ms: number) =>
  new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const size = (bytes: number) =>
  bytes < 1e6
    ? `${Math.round(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`

export function LibraryDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { library, store } = session
  const history = useSignal<{ id: string; revisions: Scenario[] } | null>(null)
  const quota = useSignal('')
  const failed = useSignal('')
  /** Whether the browser may drop what is kept when space is short. */
  const droppable = useSignal(false)
  const attempt = (work: Promise<unknown>) =>
    work.catch(error => {
      failed.value = error instanceof Error ? error.message : String(error)
    })
  useEffect(() => {
    void attempt(library.refresh())
    void navigator.storage?.estimate?.().then(
      ({ usage, quota: most }) => {
        if (usage !== undefined && most) quota.value = `${size(usage)} of ${size(most)} in use.`
      },
      () => {},
    )
  }, [])
  const askToKeep = async () => {
    droppable.value = !(await navigator.storage.persist())
    store.status.value = droppable.value
      ? 'The browser does not promise it.'
      : 'The browser keeps the scenarios.'
  }
  useEffect(() => {
    void navigator.storage?.persisted?.().then(
      kept => {
        droppable.value = !kept
      },
      () => {},
    )
  }, [])
  const current = library.open.value.id
  return (
    <Dialog title="Scenarios in this browser" wide onClose={onClose}>
      {!library.persistent.value && (
        <p class="note warn">
          Nothing outlasts this visit: {library.reason.value || 'the browser keeps no data for this page'}.
          Save a file or a link.
        </p>
      )}
      {failed.value && (
        <p class="note alarm" role="alert">
          {failed.value}
        </p>
      )}
      <div class="actions">
        {current === '' ? (
          <button type="button" class="button" onClick={() => void attempt(library.flush(true))}>
            Keep the open scenario
          </button>
        ) : (
          <span class="muted">The open scenario is kept by itself.</span>
        )}
      </div>
      {library.heads.value.length === 0 ? (
        <p class="muted">Nothing yet. A scenario is kept from its first change on.</p>
      ) : (
        <ul class="rows">
          {library.heads.value.map(head => (
            <li key={head.id} aria-current={head.id === current ? 'true' : undefined}>
              <button
                type="button"
                class="row-title"
                onClick={() => void attempt(session.open(head.id).then(onClose))}
              >
                <strong>{head.name || 'untitled'}</strong>
                <span class="muted number">{when(head.saved_ms)}</span>
              </button>
              <button
                type="button"
                class="button quiet"
                aria-expanded={history.value?.id === head.id}
                aria-label={`History of ${head.name}`}
                onClick={() =>
                  void attempt(
                    library.history(head.id).then(revisions => {
                      history.value = history.value?.id === head.id ? null : { id: head.id, revisions }
                    }),
                  )
                }
              >
                History
              </button>
              <button
                type="button"
                class="button quiet icon danger"
                aria-label={`Remove ${head.name}`}
                title="Remove, with its history"
                onClick={() => {
                  if (confirm(`Remove “${head.name}” and its history from this browser?`))
                    void attempt(library.remove(head.id))
                }}
              >
                <Icon name="close" />
              </button>
              {history.value?.id === head.id && (
                <ol class="revisions">
                  {history.value.revisions.map(revision => (
                    <li key={revision.revision}>
                      <span class="number muted">
                        {revision.revision}, {when(revision.saved_ms)}
                      </span>
                      <button
                        type="button"
                        class="button quiet"
                        aria-label={`Restore revision ${revision.revision} of ${head.name}`}
                        onClick={() => {
                          void attempt(
                            (async () => {
                              if (library.open.value.id !== head.id) await session.open(head.id)
                              session.bringBack(revision)
                              onClose()
                            })(),
                          )
                        }}
                      >
                        Restore
                      </button>
                    </li>
                  ))}
                </ol>
              )}
            </li>
          ))}
        </ul>
      )}
      <p class="muted">{quota.value} A scenario keeps its last 20 revisions.</p>
      {library.persistent.value && droppable.value && (
        <div class="actions">
          <p class="muted">The browser may drop them when space is short.</p>
          <button type="button" class="button quiet" onClick={() => void attempt(askToKeep())}>
            Ask it to keep them
          </button>
        </div>
      )}
      <p class="hidden-visually" role="status">
        {store.status.value}
      </p>
    </Dialog>
  )
}
