// The tasks of the picture as a table, page by page.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { instant, plural, short, ticks } from '../views/format'
import type { Selection } from '../views/props'
import { Scroller } from '../views/Scroller'
import '../views/views.css'
import { depthText } from './describe'
import { gpuName, type Model } from './model'

interface TableProps {
  model: Model
  label: string
  selection: Selection | null
  onSelect(selection: Selection): void
}

const PAGE = 20

export function Table({ model, label, selection, onSelect }: TableProps) {
  const { tasks } = model.schedule
  const [picks, setJob] = useState(-1)
  // Resets a filter beyond the plan's number of jobs.
  const job = picks < model.instance.jobs.length ? picks : -1
  const [page, setPage] = useState(0)
  const rows = useMemo(() => {
    const all = Array.from(tasks.job, (_, i) => i).filter(i => job < 0 || tasks.job[i] === job)
    return all.sort((a, b) => tasks.start[a]! - tasks.start[b]! || tasks.gpu[a]! - tasks.gpu[b]!)
  }, [model, job])
  const picked = (i: number) =>
    selection !== null &&
    tasks.job[i] === selection.job &&
    tasks.iteration[i] === selection.iteration &&
    (selection.gpu === null || tasks.gpu[i] === selection.gpu)
  // The table's page follows the selection.
  useEffect(() => {
    const at = rows.findIndex(picked)
    if (at >= 0) setPage(Math.floor(at / PAGE))
  }, [rows, selection?.job, selection?.iteration, selection?.gpu])
  const pages = Math.max(Math.ceil(rows.length / PAGE), 1)
  const at = Math.min(page, pages - 1)
  const tick = (t: number) => instant(t, model.instance.tick_us, 1, model.span)
  const table = useRef<HTMLDivElement>(null)
  // On a low screen it is below the fold: the button would seem to do nothing.
  useEffect(() => table.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <div class="table-twin" ref={table}>
      <div class="table-bar">
        <label>
          Job{' '}
          <select
            class="select"
            value={job}
            onChange={e => {
              setJob(Number(e.currentTarget.value))
              setPage(0)
            }}
          >
            <option value={-1}>all</option>
            {model.instance.jobs.map((spec, j) => (
              <option key={j} value={j}>
                {short(spec.name)}
              </option>
            ))}
          </select>
        </label>
        <span class="spring" />
        <button
          type="button"
          class="button quiet"
          aria-label="Previous page"
          disabled={at === 0}
          onClick={() => setPage(at - 1)}
        >
          ‹
        </button>
        <span class="number">
          {at + 1} of {pages}
        </span>
        <button
          type="button"
          class="button quiet"
          aria-label="Next page"
          disabled={at === pages - 1}
          onClick={() => setPage(at + 1)}
        >
          ›
        </button>
      </div>
      <Scroller label={`Tasks: ${label}`}>
        <table>
          <caption class="hidden-visually">
            {plural(rows.length, 'task')} of {label}, by start
          </caption>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Iteration</th>
              <th scope="col">GPU</th>
              <th scope="col">Depth</th>
              <th scope="col">Starts</th>
              <th scope="col">Ends</th>
              <th scope="col">Lasts</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(at * PAGE, (at + 1) * PAGE).map(i => (
              <tr key={i} class={picked(i) ? 'picked' : ''}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    onClick={() =>
                      onSelect({ job: tasks.job[i]!, iteration: tasks.iteration[i]!, gpu: tasks.gpu[i]! })
                    }
                  >
                    {short(model.instance.jobs[tasks.job[i]!]!.name)}
                  </button>
                </th>
                <td class="number">{tasks.iteration[i]}</td>
                <td>{gpuName(model, tasks.gpu[i]!)}</td>
                <td>{depthText(model, i)}</td>
                <td class="number">{tick(tasks.start[i]!)}</td>
                <td class="number">{tick(tasks.end[i]!)}</td>
                <td class="number">{ticks(tasks.end[i]! - tasks.start[i]!, model.instance.tick_us)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </div>
  )
}
