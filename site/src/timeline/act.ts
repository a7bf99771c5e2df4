// The effects of a timeline's keys.

import type { TimelineProps } from '../views/props'
import type { Row } from './changes'
import type { Action } from './keys'
import { clampScroll, rowsSeen } from './layout'
import { firstSeen, neighbour, placeOf } from './move'
import type { Element } from './scene'
import type { View } from './useView'
import { pan } from './viewport'

/** The selected element, and functions that select another. */
export interface Picked {
  element: Element | null
  /** The row on which it was reached: a sync is on several. */
  row(): number | undefined
  show(element: Element | null, row?: number): void
  /** Moves by a number of iterations of the same job. */
  step(by: number): void
}

type Asks = Pick<TimelineProps, 'onRange' | 'onSelect' | 'onMove'> & {
  /** Opens the menu of a row; absent if there is none. */
  onMenu: ((row: Row) => void) | null
}

export function act(
  action: Action,
  view: View,
  picked: Picked,
  { onRange, onSelect, onMove, onMenu }: Asks,
): void {
  const { scene } = view
  const { model, layout, range, horizon, scroll } = scene
  const { element } = picked
  switch (action.do) {
    case 'zoom': {
      // Around the selection, if it is in sight.
      const list = element?.kind === 'sync' ? model.schedule.syncs : model.schedule.tasks
      const at = element && model.period === 0 ? list.start[element.index]! : Number.NaN
      view.zoomBy(action.factor, at >= range.from && at <= range.to ? at : undefined)
      break
    }
    case 'pan':
      view.setRange(pan(range, action.by * (range.to - range.from), horizon, layout.plotWidth))
      break
    case 'carry': {
      const step = Math.max(Math.abs(action.by) * (range.to - range.from), 1)
      // Within half a step of a neighbour it snaps to it.
      const how = { by: Math.sign(action.by) * step, reach: step / 2, whole: action.whole, done: true }
      if (element) onMove?.(element.index, how)
      break
    }
    case 'scroll': {
      const gpus = scroll.gpus + action.rows * layout.gpus.rowHeight
      view.setScroll({ ...scroll, gpus: clampScroll(layout.gpus, gpus) })
      break
    }
    case 'step': {
      const next = element && neighbour(model, element, action.step, picked.row())
      if (next) picked.show(next.element, next.row)
      break
    }
    case 'iteration':
      picked.step(action.by)
      break
    case 'whole':
      onRange(null)
      break
    case 'clear':
      onSelect(null)
      break
    case 'chain':
      view.setShowChain(!view.showChain)
      break
    case 'menu': {
      const place = element && placeOf(model, element)
      const { pane, row } = place ?? { pane: 'gpus', row: rowsSeen(layout.gpus, scroll.gpus)[0] }
      onMenu?.({ pane, row: picked.row() ?? row })
      break
    }
    case 'focus':
      if (scene.selection) view.focus(scene.selection)
      break
    case 'enter':
      picked.show(element ?? firstSeen(model, range, rowsSeen(layout.gpus, scroll.gpus)))
  }
}
