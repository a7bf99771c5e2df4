// The scenarios stored in this browser, and the history of each.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Scenario, ScenarioHead } from '../engine/api'
import type { Session } from '../state/session'
import { Dialog } from '../ui/Dialog'
import { Icon } from '../ui/icons'
import { useStorage } from './useStorage'

const when = (ms: number) =>
  new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

export function LibraryDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { library, store } = session
  const history = useSignal<{ id: string; revisions: Scenario[] } | null>(null)
  const failed = useSignal('')
  const storage = useStorage()
  const attempt = (work: Promise<unknown>) =>
    work.catch(error => {
      failed.value = error instanceof Error ? error.message : String(error)
    })
  useEffect(() => {
    void attempt(library.refresh())
  }, [])
  const askToKeep = async () => {
    store.status.value = (await storage.persist())
      ? 'The browser will keep the scenarios.'
      : 'The browser does not promise to keep them.'
  }
  const unfold = async (id: string) => {
    const revisions = await library.history(id)
    history.value = history.value?.id === id ? null : { id, revisions }
  }
  const restore = async (id: string, revision: Scenario) => {
    if (library.open.value.id !== id) await session.open(id)
    session.bringBack(revision)
    onClose()
  }
  const current = library.open.value.id
  return (
    <Dialog title="Scenarios in this browser" wide onClose={onClose}>
      {!library.persistent.value && (
        <p class="note warn">
          Nothing is kept after this visit:{' '}
          {library.reason.value || 'the browser keeps no data for this page'}. Save a file or a link instead.
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
          <span class="muted">The open scenario is saved automatically.</span>
        )}
      </div>
      {library.heads.value.length === 0 ? (
        <p class="muted">Nothing yet. A scenario is saved once it has been changed.</p>
      ) : (
        <ul class="rows">
          {library.heads.value.map(head => (
            <Kept
              key={head.id}
              head={head}
              current={head.id === current}
              revisions={history.value?.id === head.id ? history.value.revisions : null}
              onOpen={() => void attempt(session.open(head.id).then(onClose))}
              onHistory={() => void attempt(unfold(head.id))}
              onRemove={() => void attempt(library.remove(head.id))}
              onRestore={revision => void attempt(restore(head.id, revision))}
            />
          ))}
        </ul>
      )}
      <p class="muted">{storage.quota} A scenario keeps its last 20 revisions.</p>
      {library.persistent.value && storage.droppable && (
        <div class="actions">
          <p class="muted">The browser may delete them when space runs low.</p>
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

interface KeptProps {
  head: ScenarioHead
  /** It is the open one. */
  current: boolean
  /** null: they do not show. */
  revisions: readonly Scenario[] | null
  onOpen: () => void
  onHistory: () => void
  onRemove: () => void
  onRestore: (revision: Scenario) => void
}

function Kept({ head, current, revisions, onOpen, onHistory, onRemove, onRestore }: KeptProps) {
  return (
    <li aria-current={current ? 'true' : undefined}>
      <button type="button" class="row-title" onClick={onOpen}>
        <strong>{head.name || 'untitled'}</strong>
        <span class="muted number">{when(head.saved_ms)}</span>
      </button>
      <button
        type="button"
        class="button quiet"
        aria-expanded={revisions !== null}
        aria-label={`History of ${head.name}`}
        onClick={onHistory}
      >
        History
      </button>
      <button
        type="button"
        class="button quiet icon danger"
        aria-label={`Remove ${head.name}`}
        title="Remove, with its history"
        onClick={() => {
          if (confirm(`Remove “${head.name}” and its history from this browser?`)) onRemove()
        }}
      >
        <Icon name="close" />
      </button>
      {revisions && (
        <ol class="revisions">
          {revisions.map(revision => (
            <li key={revision.revision}>
              <span class="number muted">
                {revision.revision}, {when(revision.saved_ms)}
              </span>
              <button
                type="button"
                class="button quiet"
                aria-label={`Restore revision ${revision.revision} of ${head.name}`}
                onClick={() => onRestore(revision)}
              >
                Restore
              </button>
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}
