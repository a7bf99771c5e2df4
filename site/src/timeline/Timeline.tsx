// The timeline of a plan: rows of GPUs and links on a canvas, with an inspector, a legend
// and a table of the same.

import { useId, useMemo, useRef, useState } from 'preact/hooks'
import type { TimelineProps } from '../views/props'
import type { Picked } from './act'
import { describe, describeJob } from './describe'
import { hintOf, Inspector } from './Inspector'
import { Legend } from './Legend'
import { elementOf } from './move'
import { Plot } from './Plot'
import { Table } from './Table'
import { Toolbar } from './Toolbar'
import './timeline.css'
import { usePrinting, useTheme, useWidth } from './useCanvas'
import { usePicked } from './usePicked'
import { useView, type View } from './useView'

export function Timeline(props: TimelineProps) {
  const { instance, schedule, selection, onSelect, onRange } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const theme = useTheme()
  const help = useId()
  const printing = usePrinting()
  const view = useView(props, width, theme, printing)
  const { model } = view.scene
  const picked = usePicked(view, props)
  const [showTable, setShowTable] = useState(false)
  const hint = hintOf(props.onChange !== undefined)
  const inspector = <Inspected timeline={props} hint={hint} view={view} picked={picked} />
  return (
    <section class="timeline" aria-label={props.label}>
      <div class="timeline-head">
        {props.heading && <h2>{props.heading}</h2>}
        <Toolbar
          label={props.label}
          compact={props.compact ?? false}
          whole={props.range === null}
          chain={props.chain.length > 0 ? view.showChain : props.chained ? 'coming' : null}
          table={showTable}
          onZoom={view.zoomBy}
          onWhole={() => onRange(null)}
          onRows={view.taller}
          onChain={() => view.setShowChain(!view.showChain)}
          onTable={() => setShowTable(!showTable)}
          tools={props.tools}
        />
        {props.compact && inspector}
      </div>
      <p class="hidden-visually" id={help}>
        {hint}
      </p>
      <Plot timeline={props} {...{ box, width, help, printing, view, picked }} />
      {!props.compact && (
        <>
          <Legend
            instance={instance}
            schedule={schedule}
            theme={theme}
            selection={selection}
            onSelect={onSelect}
          />
          {inspector}
        </>
      )}
      {showTable && (
        <Table
          model={model}
          label={props.label}
          selection={view.scene.selection}
          onSelect={s => picked.show(elementOf(model, s))}
        />
      )}
    </section>
  )
}

/** What is picked out, in words. */
function Inspected(of: { timeline: TimelineProps; hint: string; view: View; picked: Picked }) {
  const { timeline, hint, view, picked } = of
  const { model, selection } = view.scene
  const element = selection && selection.iteration > 0 ? picked.element : null
  const description = useMemo(
    () =>
      element
        ? describe(model, element, timeline.chain)
        : selection
          ? describeJob(model, selection.job)
          : null,
    [model, timeline.chain, element?.kind, element?.index, selection?.job],
  )
  return (
    <Inspector
      compact={timeline.compact ?? false}
      hint={hint}
      description={description}
      onCause={description?.cause ? () => picked.show(description.cause) : null}
      onStep={selection && selection.iteration > 0 ? picked.step : null}
      onFocus={selection ? () => view.focus(selection) : null}
      onClear={() => timeline.onSelect(null)}
    />
  )
}
