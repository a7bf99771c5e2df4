// Parts of the page that are loaded when they are first shown.
import type { ComponentType } from 'preact'
import { lazy } from 'preact/compat'

/** Where a part cannot be loaded that is said in its place. */
export const part = <P,>(load: () => Promise<ComponentType<P>>) =>
  lazy<ComponentType<P>>(() =>
    load().then(
      component => ({ default: component }),
      () => ({ default: Missing }),
    ),
  )

function Missing() {
  return (
    <p class="empty alarm" role="alert">
      This part of the page could not be loaded: see whether there is a network, and reload the page.
    </p>
  )
}
