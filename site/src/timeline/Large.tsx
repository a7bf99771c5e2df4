// The timeline of a plan on many GPUs: an overview of all nodes as a heat map, and rows of GPUs for
// the selected nodes.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Compiled } from '../engine/api'
import { plural, short } from '../views/format'
import type { Selection, TimelineProps } from '../views/props'
import { drawHeat, HEAT_TOP, heatOf, heatShares, plotWidth, rowOfHeat } from './heat'
import { newPen } from './pen'
import { Timeline } from './Timeline'
import { sizeCanvas, useFrame, usePixelRatio, useTheme, useWidth } from './useCanvas'

/** The number of GPUs from which the overview is used. */
export const LARGE = 512
/** Rows of more nodes would be too many again. */
const MOST_NODES = 64

export function Large(props: TimelineProps) {
  const { instance, schedule, selection, onSelect } = props
  const [picked, pick] = useState<readonly number[]>([])
  // Node indices of another cluster mean other nodes.
  useEffect(() => pick([]), [instance.nodes.length])
  // A task selected elsewhere gets its rows.
  useEffect(() => {
    if (!selection) return
    const needed = nodesOf(instance, schedule.residency, selection)
    if (!needed.some(n => picked.includes(n))) pick(needed.slice(0, MOST_NODES))
  }, [selection])
  const nodes = useMemo(() => picked.filter(n => n < instance.nodes.length), [picked, instance])
  return (
    <section class="large" aria-label={`${props.label}, nodes`}>
      <div class="timeline-head">
        <h2>{plural(instance.nodes.length, 'node')}: share of GPUs that are busy</h2>
        <span class="heat-scale muted">
          none <i /> all
        </span>
        <label class="large-pick">
          GPUs of{' '}
          <select
            class="select"
            value={nodes.length === 1 ? nodes[0] : -1}
            onChange={e => pick(Number(e.currentTarget.value) < 0 ? [] : [Number(e.currentTarget.value)])}
          >
            <option value={-1}>{nodes.length > 1 ? plural(nodes.length, 'node') : 'no node'}</option>
            {instance.nodes.map((node, n) => (
              <option key={node.name} value={n}>
                {short(node.name)}
              </option>
            ))}
          </select>
        </label>
        {nodes.length > 0 && (
          <button type="button" class="button quiet" onClick={() => pick([])}>
            Overview only
          </button>
        )}
      </div>
      <Overview {...props} nodes={nodes} onPick={pick} />
      {nodes.length > 0 ? (
        <Timeline {...props} nodes={nodes} large onSelect={onSelect} />
      ) : (
        <p class="large-hint muted">Click a node, or drag over several, to see what its GPUs do.</p>
      )}
    </section>
  )
}

/** The nodes of the selected task, or of its job. */
function nodesOf(instance: Compiled, residency: readonly number[][], selection: Selection): number[] {
  const gpus = selection.gpu !== null ? [selection.gpu] : (residency[selection.job] ?? [])
  return instance.nodes.flatMap((node, n) =>
    gpus.some(gpu => gpu >= node.first_gpu && gpu < node.first_gpu + node.gpus) ? [n] : [],
  )
}

function Overview(
  props: TimelineProps & { nodes: readonly number[]; onPick(nodes: readonly number[]): void },
) {
  const { instance, schedule, nodes, onPick } = props
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(box)
  const dpr = usePixelRatio()
  const theme = useTheme()
  const heat = useMemo(() => heatOf(instance, schedule), [instance, schedule])
  const busy = useMemo(
    () => heatShares(instance, schedule, heat, plotWidth(width)),
    [instance, schedule, heat, width],
  )
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null)
  const rows = (d: { from: number; to: number }) =>
    heat.rows.slice(Math.min(d.from, d.to), Math.max(d.from, d.to) + 1).flat()
  const chosen = new Set(drag ? rows(drag) : nodes)
  const lit = new Set(heat.rows.flatMap((list, row) => (list.some(n => chosen.has(n)) ? [row] : [])))
  const draw = useFrame(() => {
    const ctx = canvas.current?.getContext('2d', { alpha: false })
    if (!canvas.current || !ctx || width === 0) return
    sizeCanvas(canvas.current, width, HEAT_TOP + heat.rows.length * heat.rowHeight + 2, dpr)
    const font = getComputedStyle(canvas.current).fontFamily
    drawHeat(newPen(ctx, dpr, theme, font), instance, heat, busy, width, lit)
  })
  useLayoutEffect(draw)
  const at = (e: PointerEvent) =>
    rowOfHeat(heat, e.clientY - (canvas.current?.getBoundingClientRect().top ?? 0))
  return (
    <div class="large-box" ref={box}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${props.label}: how busy ${plural(instance.nodes.length, 'node')} are over time; the list above shows the GPUs of one`}
        onPointerDown={e => {
          const row = at(e)
          if (row < 0) return
          e.currentTarget.setPointerCapture(e.pointerId)
          setDrag({ from: row, to: row })
        }}
        onPointerMove={e => {
          const row = at(e)
          if (drag && row >= 0 && row !== drag.to) setDrag({ ...drag, to: row })
        }}
        onPointerUp={() => {
          if (drag) onPick(rows(drag).slice(0, MOST_NODES))
          setDrag(null)
        }}
        onPointerCancel={() => setDrag(null)}
      />
    </div>
  )
}
