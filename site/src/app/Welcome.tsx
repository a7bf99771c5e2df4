// What a newcomer sees with the first plan: what the picture shows, and what to try.
import { first, gallery } from '../scenario/gallery/gallery'
import type { Store } from '../state/store'
import { Icon } from '../ui/icons'

/** The picture in three sentences. */
export const PICTURE =
  'Each row is a GPU; each bar is one iteration of a job on it. Hatched bars run the backward pass through the last layers only: they end sooner, and other jobs fill the gaps. The bound is proven: no plan can be better.'

interface WelcomeProps {
  store: Store
  onGallery(): void
  onTour(): void
  onClose(): void
}

export function Welcome({ store, onGallery, onTour, onClose }: WelcomeProps) {
  const twist = gallery[0]?.twist
  const fresh = store.text.text.value === first
  return (
    <div class="welcome" role="note" aria-label="What the picture shows">
      <p>
        <strong>Training jobs share these GPUs, iteration by iteration.</strong> {PICTURE}
      </p>
      <p>
        <button type="button" class="link" onClick={onTour}>
          Take the tour
        </button>
        , or try it: move a slider of the scenario, click a bar,{' '}
        {fresh && twist && (
          <>
            <button type="button" class="link" onClick={() => store.text.edit(twist.apply(first), true)}>
              add a rush job
            </button>
            ,{' '}
          </>
        )}
        or open another scenario from the{' '}
        <button type="button" class="link" onClick={onGallery}>
          gallery
        </button>
        . The plan is updated at once.
      </p>
      <button type="button" class="button quiet icon" aria-label="Close the introduction" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}
