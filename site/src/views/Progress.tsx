// How plan and bound converge: both over the time of the run.

import { useRef } from 'preact/hooks'
import { useWidth } from '../timeline/useCanvas'
import { marks } from '../timeline/viewport'
import { Term } from '../ui/Term'
import { interesting, linear, niceMarks, steps, withEarlier } from './chart'
import { Figure } from './Figure'
import { clean, gapOf, gapWords, instant, minimised, objectiveValue, plural, UNKNOWN } from './format'
import { glossary } from './glossary'
import type { ProgressProps } from './props'
import './views.css'

const HEIGHT = 150
const LEFT = 62
const RIGHT = 78
const TOP = 8
const BOTTOM = 22

/** Elapsed time of a run. */
function elapsed(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}

export function Progress({ run }: ProgressProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = Math.max(useWidth(box), 220)
  const series = withEarlier(run.series, run.primal)
  const value = (v: number | null) => objectiveValue(v, run.objective, run.tick_us, run.primal)
  const last = series[series.length - 1]
  const end = Math.max(run.result?.elapsed_ms ?? 0, last?.elapsed_ms ?? 0, 1)
  const domain = interesting(series)
  // No finer than the milliseconds shown.
  const times = Math.min(Math.max(Math.floor((width - LEFT - RIGHT) / 90), 2), end)
  const x = linear([0, end], [LEFT, width - RIGHT])
  const y = linear(domain ?? [0, 1], [HEIGHT - BOTTOM, TOP])
  const primal = steps(
    series.map(p => ({ t: p.elapsed_ms, v: p.primal })),
    end,
    x,
    y,
  )
  const dual = steps(
    series.map(p => ({ t: p.elapsed_ms, v: p.dual })),
    end,
    x,
    y,
  )
  // Labels at the ends, kept apart even if plan and bound meet.
  const ends = run.primal !== null && run.dual !== null ? [y(run.primal), y(run.dual)] : []
  const apart =
    ends.length === 2 && Math.abs(ends[0]! - ends[1]!) < 13 ? (13 - Math.abs(ends[0]! - ends[1]!)) / 2 : 0
  const up = ends.length === 2 && ends[0]! <= ends[1]! ? -1 : 1
  return (
    <Figure
      title={['Plan and bound over time', glossary.progress]}
      note={domain ? last && <Effort {...last} /> : 'neither was found'}
      head={[
        ['Time', glossary.elapsed],
        'Event',
        ['Plan', glossary.incumbent],
        ['Bound', glossary.bound],
        ['Gap', glossary.gap],
        ['Columns', glossary.columns],
        ['Nodes', glossary.tree_nodes],
      ]}
      rows={series.map(p => [
        elapsed(p.elapsed_ms),
        clean(p.event),
        value(p.primal),
        value(p.dual),
        gapWords(gapOf(p.primal, p.dual)),
        p.columns || UNKNOWN,
        p.nodes || UNKNOWN,
      ])}
    >
      <div class="chart-box" ref={box}>
        <svg class="chart" width={width} height={HEIGHT} role="img" aria-label={describe(run, value)}>
          <defs>
            <clipPath id="progress-clip">
              <rect x={LEFT} y={0} width={Math.max(width - LEFT - RIGHT, 1)} height={HEIGHT - BOTTOM} />
            </clipPath>
          </defs>
          {domain &&
            (minimised(run.objective)
              ? marks({ from: domain[0], to: domain[1] }, 4, run.tick_us).at
              : niceMarks(domain[0], domain[1], 4)
            ).map(v => (
              <g key={v}>
                <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(v)} y2={y(v)} />
                <text class="mark end" x={LEFT - 6} y={y(v)} dy="0.35em">
                  {value(v)}
                </text>
              </g>
            ))}
          {niceMarks(0, end, times).map((t, _, { 1: step = end }) => (
            <text key={t} class="mark middle" x={x(t)} y={HEIGHT - 4}>
              {t === 0 ? '0' : instant(t, 1000, step, end)}
            </text>
          ))}
          <line class="axis" x1={LEFT} x2={width - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
          <g clip-path="url(#progress-clip)">
            <path class="line-dual" d={dual} />
            <path class="line-primal" d={primal} />
          </g>
          {series.map((p, i) => (
            <line
              key={i}
              class="event"
              x1={x(p.elapsed_ms)}
              x2={x(p.elapsed_ms)}
              y1={HEIGHT - BOTTOM}
              y2={HEIGHT - BOTTOM + 4}
            >
              <title>{`${elapsed(p.elapsed_ms)}: ${clean(p.event)}`}</title>
            </line>
          ))}
          {run.primal !== null && domain && (
            <text class="name-primal" x={width - RIGHT + 6} y={y(run.primal) + up * apart} dy="0.35em">
              plan {gapOf(run.primal, run.dual) === 0 ? '= bound' : ''}
            </text>
          )}
          {run.dual !== null && domain && gapOf(run.primal, run.dual) !== 0 && (
            <text class="name-dual" x={width - RIGHT + 6} y={y(run.dual) - up * apart} dy="0.35em">
              bound
            </text>
          )}
        </svg>
      </div>
    </Figure>
  )
}

/** The effort for the bound. */
function Effort({ columns, nodes }: { columns: number; nodes: number }) {
  return (
    <>
      {columns > 0 && <Term text={glossary.columns}>{plural(columns, 'column')}</Term>}
      {columns > 0 && nodes > 0 && ', '}
      {nodes > 0 && <Term text={glossary.tree_nodes}>{plural(nodes, 'node')}</Term>}
    </>
  )
}

function describe(run: ProgressProps['run'], value: (v: number | null) => string): string {
  return `Plan ${value(run.primal)}, bound ${value(run.dual)}, gap ${gapWords(gapOf(run.primal, run.dual))}, after ${run.series.length} steps.`
}
