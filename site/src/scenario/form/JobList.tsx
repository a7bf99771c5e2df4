// The jobs in the order of the file: drag by the handle, or move with the arrow keys on it.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ScenarioEdit } from '../edit'
import { type Fields, type ModelInfo, text } from '../spec'
import { type Dragged, JobRow } from './JobRow'

interface Props {
  jobs: readonly Fields[]
  models: ReadonlyMap<string, ModelInfo>
  /** In the timeline, by the job's name. */
  colours: ReadonlyMap<string, readonly string[]>
  /** The problems of a job, by place in the file. */
  wrongs: ReadonlyMap<number, string>
  edit: ScenarioEdit
  /** The place of the job whose form is open. */
  unfolded: number | null
  onUnfold: (place: number | null) => void
  /** Tells what was done. */
  onAnnounce: (message: string) => void
}

export function JobList({ jobs, models, colours, wrongs, edit, unfolded, onUnfold, onAnnounce }: Props) {
  const more = useSignal(false)
  const dragged = useSignal<Dragged | null>(null)
  const rows = useRef<HTMLOListElement>(null)
  const count = useRef(jobs.length)
  // A job that was added or copied is probably edited next.
  useEffect(() => {
    const grown = jobs.length === count.current + 1
    count.current = jobs.length
    const row = unfolded === null ? null : rows.current?.children[unfolded]
    // If the job was typed in the editor, the focus stays there.
    if (!grown || !row || document.activeElement?.matches('.editor')) return
    row.querySelector<HTMLElement>('.job-title')?.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }, [jobs.length])
  const nameOf = (index: number) => text(jobs[index]?.name) || `job ${index + 1}`

  const moveTo = (from: number, to: number) => {
    if (to < 0 || to >= jobs.length || from === to) return
    edit.moveJob(from, to)
    onAnnounce(`${nameOf(from)} is now job ${to + 1} of ${jobs.length}`)
    // The handle moves with its job, and keeps the focus.
    requestAnimationFrame(() => rows.current?.querySelectorAll<HTMLElement>('.handle')[to]?.focus())
  }

  /** The row under a height of the window. */
  const rowAt = (y: number): number => {
    const boxes = [...(rows.current?.children ?? [])].map(row => row.getBoundingClientRect())
    const index = boxes.findIndex(box => y < box.top + box.height / 2)
    return index < 0 ? boxes.length - 1 : index
  }

  return (
    <ol class="jobs" ref={rows}>
      {jobs.map((job, i) => (
        <JobRow
          key={i}
          job={job}
          name={nameOf(i)}
          index={i}
          only={jobs.length === 1}
          models={models}
          colours={colours.get(text(job.name)) ?? []}
          wrong={wrongs.get(i)}
          edit={edit}
          open={unfolded === i}
          more={more}
          dragged={dragged}
          rowAt={rowAt}
          onMove={to => moveTo(i, to)}
          onUnfold={onUnfold}
          onAnnounce={onAnnounce}
        />
      ))}
    </ol>
  )
}
