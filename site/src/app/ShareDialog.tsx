// A link to what is shown, and a picture to send along with it.
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { download, fileName } from '../keep/files'
import type { PlanView } from '../state/planning'
import type { Session } from '../state/session'
import type { Store } from '../state/store'
import { CARD, type Card, drawCard, type Side } from '../timeline/card'
import { newPen } from '../timeline/pen'
import { useFonts, useTheme } from '../timeline/useCanvas'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'
import { Icon } from '../ui/icons'
import type { RunView } from '../views/props'
import { gainWords, statusWords } from '../views/words'
import { pairOf, runOf, staleOf } from './run'

export function ShareDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const link = useSignal('')
  const failed = useSignal('')
  const { store } = session
  const view = store.planning.view.value
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
    <Dialog title="Share" wide onClose={onClose}>
      <p>
        The link contains the whole scenario, the seed, whether SPB is on, the selection, the zoom and the
        plan it is compared with. It is read in the browser that opens it; no server sees it.
      </p>
      {failed.value && (
        <p class="note alarm" role="alert">
          {failed.value}
        </p>
      )}
      {link.value && <CopyField label={`Link, ${link.value.length} characters`} value={link.value} />}
      {link.value.length > 8000 && (
        <p class="note warn">Some programs truncate links this long: a file is safer (Export, YAML).</p>
      )}
      {view && staleOf(view.instance, store) && (
        <p class="note warn">
          The picture shows the current plan, which is for an earlier version of the scenario; the link
          contains the scenario as it is now.
        </p>
      )}
      <Picture store={store} link={link.value} />
    </Dialog>
  )
}

/** Pixels of the picture per pixel of the card: it may be printed. */
const SHARP = 2

function Picture({ store, link }: { store: Store; link: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useTheme()
  const said = useSignal('')
  const other = useSignal<PlanView | null>(null)
  const coming = useSignal(true)
  const view = store.planning.view.value
  const pinned = store.pinned.value
  useEffect(() => {
    const run = new AbortController()
    const made = view && !pinned ? store.beside(view, run.signal) : Promise.resolve(null)
    made
      .then(plan => {
        if (!run.signal.aborted) other.value = plan
      })
      .catch(() => {})
      .finally(() => {
        if (!run.signal.aborted) coming.value = false
      })
    return () => run.abort()
  }, [view?.instance.digest, pinned])
  const card = useMemo(() => view && cardOf(view, other.value, store), [view, other.value, pinned])
  const draw = () => {
    const ctx = canvas.current?.getContext('2d', { alpha: false })
    if (ctx && card) drawCard(newPen(ctx, SHARP, theme, getComputedStyle(canvas.current!).fontFamily), card)
  }
  useLayoutEffect(draw, [card, theme])
  useFonts(draw)
  if (!view || !card) return null
  const picture = () =>
    new Promise<Blob>((resolve, reject) =>
      canvas.current?.toBlob(blob => (blob ? resolve(blob) : reject(new Error('nothing was drawn')))),
    )
  const act = async (done: string, does: () => Promise<unknown>) => {
    try {
      await does()
      said.value = done
    } catch (error) {
      said.value = `That did not work: ${error instanceof Error ? error.message : error}`
    }
  }
  const name = `${fileName(view.instance.name)}.png`
  const copies = typeof ClipboardItem !== 'undefined' && navigator.clipboard?.write !== undefined
  const sends = navigator.canShare?.({ files: [new File([], name, { type: 'image/png' })] }) ?? false
  return (
    <section class="share-card" aria-label="Picture">
      <canvas
        ref={canvas}
        width={SHARP * CARD.width}
        height={SHARP * CARD.height}
        role="img"
        aria-label={`${card.title}. ${card.gain} ${card.proof}`}
      />
      <div class="actions">
        {copies && (
          <button
            type="button"
            class="button"
            onClick={() =>
              // The promise itself: some browsers allow the clipboard only while the click is answered.
              act('The picture is copied.', () =>
                navigator.clipboard.write([new ClipboardItem({ 'image/png': picture() })]),
              )
            }
          >
            <Icon name="copy" /> Copy picture
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() => act('', async () => download(name, await picture()))}
        >
          <Icon name="download" /> Save picture
        </button>
        {sends && (
          <button
            type="button"
            class="button"
            onClick={() =>
              act('', async () => {
                const file = new File([await picture()], name, { type: 'image/png' })
                await navigator.share({ files: [file], url: link, text: card.gain || card.proof })
              })
            }
          >
            <Icon name="share" /> Send
          </button>
        )}
        <span class="muted" role="status">
          {said.value || (coming.value ? 'Computing the plan to compare with, for the picture …' : '')}
        </span>
      </div>
    </section>
  )
}

/** What the picture shows: the pinned plan and this one, or full depth and SPB, or this plan alone. */
function cardOf(view: PlanView, other: PlanView | null, store: Store): Card {
  // About the plan that is drawn, even if the scenario has changed since or is being planned again.
  const pinned = store.pinned.value
  const now = runOf(view, store)
  const run: RunView = { ...now, stale: '', running: now.running && !now.stale }
  const side = (label: string, { instance, schedule, long, value }: PlanView, note = ''): Side => ({
    label,
    note,
    instance,
    schedule,
    long,
    value,
  })
  const { title, proof, bound, certified } = {
    title: view.instance.name || 'A plan',
    proof: statusWords(run).text,
    bound: run.dual,
    certified: run.certified,
  }
  // The same words as on the page, which also compares with the full-depth plan found during the search.
  const told = !pinned && !store.isFullDepth(view.instance) && run.result?.status !== 'infeasible'
  const found = told ? gainWords(pairOf(view, run, store)) : ''
  const alone = { title, gain: found, proof, sides: [side('The plan', view)], bound, certified }
  const pair = { objective: run.objective, tick_us: run.tick_us, partial: true }
  if (pinned) {
    const { instance, result } = pinned
    if (instance.objective !== run.objective || instance.tick_us !== run.tick_us) return alone
    const gain = gainWords({
      ...pair,
      value: view.value,
      base: result.primal,
      names: ['The plan', 'the one before'],
    })
    const before: Side = {
      label: pinned.of.label === title ? 'Before' : pinned.of.label,
      instance,
      schedule: result.schedule,
      long: result.long,
      value: result.primal,
    }
    return { ...alone, gain, sides: [before, side('After', view)] }
  }
  if (!other || other.value === null) return alone
  const full = store.isFullDepth(view.instance)
  const [before, after] = full ? [view, other] : [other, view]
  const gain = gainWords({ ...pair, value: after.value, base: before.value })
  const of = full ? runOf(other, store) : run
  return {
    title,
    gain,
    proof: statusWords({ ...of, stale: '', running: full ? false : run.running }).text,
    sides: [
      side('All at full depth', before),
      side('With SPB', after, 'hatched: backward pass through the last layers only'),
    ],
    bound: of.dual,
    certified: of.certified,
  }
}
