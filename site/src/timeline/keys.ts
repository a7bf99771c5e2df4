// The keyboard of the timeline.

import type { Step } from './move'

export type Action =
  | { do: 'zoom'; factor: number }
  /** Fractions of the visible range. */
  | { do: 'pan'; by: number }
  | { do: 'scroll'; rows: number }
  | { do: 'step'; step: Step }
  /** Moves the selected task, by fractions of the visible range; whole: with its whole iteration. */
  | { do: 'carry'; by: number; whole: boolean }
  /** Iterations of the same job. */
  | { do: 'iteration'; by: number }
  | { do: 'whole' | 'clear' | 'enter' | 'chain' | 'focus' | 'menu' }

const ZOOM = 1.5
const PAN = 0.15
const CARRY = 0.005

/** What a key does; null leaves it to the page. selected: something is selected; movable: it is a task that can be moved. */
export function actionOf(
  e: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean },
  selected: boolean,
  movable = false,
): Action | null {
  if (e.ctrlKey || e.metaKey || e.altKey) return null
  if (movable && (e.key === 'ArrowLeft' || e.key === 'ArrowRight'))
    return { do: 'carry', by: e.key === 'ArrowLeft' ? -CARRY : CARRY, whole: e.shiftKey }
  switch (e.key) {
    case '+':
    case '=':
    case 'w':
    case 'W':
      return { do: 'zoom', factor: 1 / ZOOM }
    case '-':
    case '_':
    case 's':
    case 'S':
      return { do: 'zoom', factor: ZOOM }
    case 'a':
    case 'A':
      return { do: 'pan', by: -PAN }
    case 'd':
    case 'D':
      return { do: 'pan', by: PAN }
    case 'ArrowLeft':
      return selected && !e.shiftKey ? { do: 'step', step: 'left' } : { do: 'pan', by: -PAN }
    case 'ArrowRight':
      return selected && !e.shiftKey ? { do: 'step', step: 'right' } : { do: 'pan', by: PAN }
    case 'ArrowUp':
      return selected && !e.shiftKey ? { do: 'step', step: 'up' } : { do: 'scroll', rows: -2 }
    case 'ArrowDown':
      return selected && !e.shiftKey ? { do: 'step', step: 'down' } : { do: 'scroll', rows: 2 }
    case '[':
      return selected ? { do: 'iteration', by: -1 } : null
    case ']':
      return selected ? { do: 'iteration', by: 1 } : null
    case 'PageUp':
      return { do: 'scroll', rows: -10 }
    case 'PageDown':
      return { do: 'scroll', rows: 10 }
    case 'Home':
    case '0':
      return { do: 'whole' }
    case 'Enter':
    case ' ':
      return { do: 'enter' }
    case 'f':
    case 'F':
      return selected ? { do: 'focus' } : null
    case 'c':
    case 'C':
      return { do: 'chain' }
    case 'm':
    case 'M':
    case 'ContextMenu':
      return { do: 'menu' }
    case 'Escape':
      return selected ? { do: 'clear' } : null
    default:
      return null
  }
}

/** For the help dialog: keys and what they do on the timeline. */
export const KEYS: readonly [string, string][] = [
  ['W S, + −', 'zoom in and out'],
  ['A D', 'earlier, later'],
  ['Enter', 'select the first task in sight'],
  ['← → ↑ ↓', 'next task in the row, in the row above or below; without a selection: move'],
  ['← →, Shift', 'by hand: move the selected task, or its whole iteration'],
  ['[ ]', 'previous and next iteration of the job'],
  ['F', 'zoom to the selected iteration'],
  ['C', 'show or hide the critical chain'],
  ['M', 'fail or speed up the GPU or link of the selected task, or the first in sight'],
  ['Home', 'show everything'],
  ['Esc', 'clear the selection'],
]
