// The element under the pointer, described beside it. The inspector has the same for keyboard users.

import type { ChainLink } from '../engine/api'
import { ticks } from '../views/format'
import { rowName } from './changes'
import { describe } from './describe'
import type { Hit } from './hit'
import { gpuName, type Model } from './model'

interface TooltipProps {
  model: Model
  chain: readonly ChainLink[]
  pointer: { x: number; y: number; hit: Hit }
  /** Whether rows can be changed. */
  change: boolean
  /** Size of the picture. */
  width: number
  height: number
}

export function Tooltip({ model, chain, pointer, change, width, height }: TooltipProps) {
  const { hit, x, y } = pointer
  // On the side with enough space.
  const right = x > width / 2
  const above = y > height / 2
  const style = {
    left: right ? 'auto' : `${x + 14}px`,
    right: right ? `${width - x + 14}px` : 'auto',
    top: above ? 'auto' : `${y + 14}px`,
    bottom: above ? `${height - y + 14}px` : 'auto',
  }
  if (hit.area === 'bar') {
    const d = describe(model, hit.element, chain)
    return (
      <div class="timeline-tip" style={style} aria-hidden="true">
        <strong>{d.title}</strong>
        {d.facts.map(([name, value]) => (
          <span key={name}>
            <span class="muted">{name}</span> {value}
          </span>
        ))}
        <span class="muted">{d.why}</span>
      </div>
    )
  }
  if (hit.area === 'gap' && hit.pane === 'gpus' && hit.to > hit.from && hit.from < model.span) {
    const until = Math.min(hit.to, model.span)
    return (
      <div class="timeline-tip" style={style} aria-hidden="true">
        <span>
          {gpuName(model, model.gpus[hit.row]!)} idle for {ticks(until - hit.from, model.instance.tick_us)}
        </span>
      </div>
    )
  }
  if (hit.area === 'label' && change)
    return (
      <div class="timeline-tip" style={style} aria-hidden="true">
        <strong>{rowName(model, hit)}</strong>
        <span class="muted">Click to make it fail, or to change its speed</span>
      </div>
    )
  return null
}
