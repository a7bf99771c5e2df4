import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Session } from '../state/session'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'

export function ShareDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const link = useSignal('')
  const failed = useSignal('')
  useEffect(() => {
    session.share().then(
      made => {
        link.value = made
      },
      (reason: Error) => {
        failed.value = reason.message
      },
    )
  }, [])
  return (
    <Dialog title="Share" onClose={onClose}>
      <p>
        The link holds the whole scenario, with seed, selection, zoom and the plan it is compared with. It is
        read in the browser that opens it; no server sees it.
      </p>
      {failed.value && (
        <p class="note alarm" role="alert">
          {failed.value}
        </p>
      )}
      {link.value && <CopyField label={`Link, ${link.value.length} characters`} value={link.value} />}
      {link.value.length > 8000 && (
        <p class="note warn">Some programs cut links as long as this: a file is safer (Export, YAML).</p>
      )}
    </Dialog>
  )
}
