// A job in the list: its handle, its name, which unfolds its form, and what can be done to it.
import type { Signal } from '@preact/signals'
import { Icon } from '../../ui/icons'
import type { ScenarioEdit } from '../edit'
import { type Fields, list, type ModelInfo, number, text } from '../spec'
import { JobForm } from './JobForm'
import { Swatch } from './Swatch'

/** A job that is dragged, by place: from where, and over which it is now. */
export interface Dragged {
  from: number
  over: number
}

interface Props {
  job: Fields
  name: string
  /** The job's place in the file. */
  index: number
  /** Whether it is the only job, which cannot be removed. */
  only: boolean
  models: ReadonlyMap<string, ModelInfo>
  /** Its colours in the timeline; empty if it has no row there. */
  colours: readonly string[]
  /** The job's problem, in words. */
  wrong: string | undefined
  edit: ScenarioEdit
  open: boolean
  /** Whether the form shows the fields that few jobs need. */
  more: Signal<boolean>
  dragged: Signal<Dragged | null>
  /** The row at a vertical position in the window. */
  rowAt: (y: number) => number
  onMove: (to: number) => void
  onUnfold: (place: number | null) => void
  onAnnounce: (message: string) => void
}

export function JobRow(props: Props) {
  const { job, name, index, models, wrong, edit, open, dragged, onUnfold } = props
  const off = job.disabled === true
  return (
    <li class={`job${off ? ' off' : ''}${dropClass(index, dragged.value)}`}>
      <div class="job-head">
        <Handle {...props} />
        <button
          type="button"
          class="job-title"
          aria-expanded={open}
          onClick={() => onUnfold(open ? null : index)}
        >
          {/* Pictures of burst-parallel plans use colours for operations, not jobs. */}
          {job.kind !== 'burst' && job.background !== true && <Swatch colours={off ? [] : props.colours} />}
          <span class="job-name">{name}</span>
          {wrong !== undefined && (
            <span class="wrong" title={wrong}>
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
        <Actions {...props} off={off} />
      </div>
      {open && <JobForm job={job} index={index} models={models} edit={edit} more={props.more} />}
    </li>
  )
}

/** How a row shows that it is dragged, or that a job would be dropped there. */
function dropClass(index: number, dragged: Dragged | null): string {
  if (!dragged) return ''
  const { from, over } = dragged
  if (from === index) return ' dragged'
  return over !== index ? '' : from < index ? ' drop-after' : ' drop-before'
}

/** Moves the job: by arrow keys, or dragged. */
function Handle({ name, index, dragged, rowAt, onMove }: Props) {
  return (
    <button
      type="button"
      class="handle"
      aria-label={`Move ${name}: arrow keys, or drag`}
      onKeyDown={event => {
        const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
        if (step === 0) return
        event.preventDefault()
        onMove(index + step)
      }}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        dragged.value = { from: index, over: index }
      }}
      onPointerMove={event => {
        if (dragged.value) dragged.value = { ...dragged.value, over: rowAt(event.clientY) }
      }}
      onPointerUp={() => {
        const drop = dragged.value
        dragged.value = null
        if (drop) onMove(drop.over)
      }}
      onPointerCancel={() => {
        dragged.value = null
      }}
    >
      <Icon name="grip" />
    </button>
  )
}

function Actions(props: Props & { off: boolean }) {
  const { name, index, only, off, edit, onUnfold, onAnnounce } = props
  return (
    <div class="job-actions">
      <button
        type="button"
        class="button quiet icon"
        aria-label={`${off ? 'Enable' : 'Disable'} ${name}`}
        aria-pressed={off}
        title={off ? 'Enable' : 'Disable: keep it in the file, but do not plan it'}
        onClick={() => edit.set(['jobs', index, 'disabled'], off ? undefined : true)}
      >
        <Icon name="power" />
      </button>
      <button
        type="button"
        class="button quiet icon"
        aria-label={`Duplicate ${name}`}
        title="Duplicate"
        onClick={() => {
          edit.copyJob(index)
          onUnfold(index + 1)
        }}
      >
        <Icon name="copy" />
      </button>
      <button
        type="button"
        class="button quiet icon"
        aria-label={`Remove ${name}`}
        title="Remove"
        disabled={only}
        onClick={() => {
          edit.removeJob(index)
          onAnnounce(`${name} is removed; undo brings it back`)
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}

/** The number of GPUs of a job. */
function sizeOf(job: Fields): string {
  if (job.kind === 'burst') return `up to ${number(job.gpus, 1)}`
  if (job.background === true) return 'background'
  const choices = list(job.moldable).map(text)
  return choices.length > 0 ? choices.join(' or ') : `${number(job.workers, 1)}`
}
