// The jobs in the order of the file: drag by the handle, or move with the arrow keys on it.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../ui/icons'
import type { ScenarioEdit } from '../edit'
import { type Fields, list, type ModelInfo, number, text } from '../spec'
import { JobForm } from './JobForm'
import { Swatch } from './Swatch'

interface Props {
  jobs: readonly Fields[]
  models: ReadonlyMap<string, ModelInfo>
  /** In the timeline, by the job's name. */
  colours: ReadonlyMap<string, readonly string[]>
  /** What is wrong with a job, by place in the file. */
  wrongs: ReadonlyMap<number, string>
  edit: ScenarioEdit
  /** The place of the job whose form is open. */
  unfolded: number | null
  onUnfold: (place: number | null) => void
  /** Marks and unfolds; by place in the file. */
  onAnnounce: (message: string) => void
}

export function JobList({ jobs, models, colours, wrongs, edit, unfolded, onUnfold, onAnnounce }: Props) {
  const more = useSignal(false)
  const dragged = useSignal<{ from: number; over: number } | null>(null)
  const rows = useRef<HTMLOListElement>(null)
  const count = useRef(jobs.length)
  // A job that was added or copied is the one that is edited next.
  useEffect(() => {
    const grown = jobs.length === count.current + 1
    count.current = jobs.length
    const row = unfolded === null ? null : rows.current?.children[unfolded]
    // One that is typed in the editor leaves the focus there.
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
      {jobs.map((job, i) => {
        const off = job.disabled === true
        const open = unfolded === i
        const name = nameOf(i)
        const drag = dragged.value
        return (
          <li
            key={i}
            class={`job${off ? ' off' : ''}${drag?.from === i ? ' dragged' : ''}${drag && drag.over === i && drag.from !== i ? (drag.from < i ? ' drop-after' : ' drop-before') : ''}`}
          >
            <div class="job-head">
              <button
                type="button"
                class="handle"
                aria-label={`Move ${name}: arrow keys, or drag`}
                onKeyDown={event => {
                  const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
                  if (step === 0) return
                  event.preventDefault()
                  moveTo(i, i + step)
                }}
                onPointerDown={event => {
                  event.currentTarget.setPointerCapture(event.pointerId)
                  dragged.value = { from: i, over: i }
                }}
                onPointerMove={event => {
                  if (dragged.value) dragged.value = { ...dragged.value, over: rowAt(event.clientY) }
                }}
                onPointerUp={() => {
                  const drop = dragged.value
                  dragged.value = null
                  if (drop) moveTo(drop.from, drop.over)
                }}
                onPointerCancel={() => {
                  dragged.value = null
                }}
              >
                <Icon name="grip" />
              </button>
              <button
                type="button"
                class="job-title"
                aria-expanded={open}
                onClick={() => onUnfold(open ? null : i)}
              >
                {/* Pictures of bursts have colours by what is done. */}
                {job.kind !== 'burst' && job.background !== true && (
                  <Swatch colours={off ? [] : (colours.get(text(job.name)) ?? [])} />
                )}
                <span class="job-name">{name}</span>
                {wrongs.has(i) && (
                  <span class="wrong" title={wrongs.get(i)}>
                    <span aria-hidden="true">!</span>
                    <span class="hidden-visually">has problems</span>
                  </span>
                )}
                <span class="muted number">
                  {number(job.count, 1) > 1 ? `${number(job.count, 1)} × ` : ''}
                  {text(job.model)}, {sizeOf(job)}
                  {number(job.iterations, 0) > 0 && ` × ${number(job.iterations, 0)}`}
                </span>
              </button>
              <div class="job-actions">
                <button
                  type="button"
                  class="button quiet icon"
                  aria-label={`${off ? 'Enable' : 'Disable'} ${name}`}
                  aria-pressed={off}
                  title={off ? 'Enable' : 'Disable: keep it in the file, but do not plan it'}
                  onClick={() => edit.set(['jobs', i, 'disabled'], off ? undefined : true)}
                >
                  <Icon name="power" />
                </button>
                <button
                  type="button"
                  class="button quiet icon"
                  aria-label={`Duplicate ${name}`}
                  title="Duplicate"
                  onClick={() => {
                    edit.copyJob(i)
                    onUnfold(i + 1)
                  }}
                >
                  <Icon name="copy" />
                </button>
                <button
                  type="button"
                  class="button quiet icon"
                  aria-label={`Remove ${name}`}
                  title="Remove"
                  disabled={jobs.length === 1}
                  onClick={() => {
                    edit.removeJob(i)
                    onAnnounce(`${name} is removed; undo brings it back`)
                  }}
                >
                  <Icon name="close" />
                </button>
              </div>
            </div>
            {open && <JobForm job={job} index={i} models={models} edit={edit} more={more} />}
          </li>
        )
      })}
    </ol>
  )
}

/** On how many GPUs a job is. */
function sizeOf(job: Fields): string {
  if (job.kind === 'burst') return `up to ${number(job.gpus, 1)}`
  if (job.background === true) return 'background'
  const choices = list(job.moldable).map(text)
  return choices.length > 0 ? choices.join(' or ') : `${number(job.workers, 1)}`
}
