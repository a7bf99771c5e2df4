// All there is to say of one job: what most jobs need, then the rest, folded.
import type { Signal } from '@preact/signals'
import { NumberField, SelectField, TextField } from '../../ui/fields'
import { list, type ModelInfo, number, type Sizes, text } from '../spec'
import { JobFurther } from './JobFurther'
import { Count, type JobPart, pathIn } from './jobPart'

/** A model in the list: whether it was measured, for which workers, and where it has no profile for the cluster's GPUs, on which. */
function modelWords(name: string, { sizes, gpus, measured }: ModelInfo): string {
  const notes = [
    ...(measured ? [] : ['estimated']),
    ...(sizes.size === 0 ? [`on ${gpus.join(' and ')} only`] : []),
    ...(sizes.size === 0 || sizes.has(1) ? [] : [`${[...sizes.keys()].join(' or ')} GPUs a worker`]),
  ]
  return notes.length > 0 ? `${name} (${notes.join(', ')})` : name
}

const unknown: Sizes = new Map()

export function JobForm({
  models,
  more,
  ...part
}: JobPart & {
  models: ReadonlyMap<string, ModelInfo>
  /** Whether the fields that few jobs need show. */
  more: Signal<boolean>
}) {
  const { job, index, edit } = part
  const key = pathIn(index)
  const of = models.get(text(job.model))?.sizes ?? unknown
  const sizes = of.get(number(job.gpus_per_worker, 0) || 1) ?? []
  return (
    <div class="fields">
      <TextField
        at={key('name')}
        label="Name"
        hint="One that no other job has."
        value={text(job.name)}
        fits={value => value !== ''}
        onChange={value => edit.set(key('name'), value)}
      />
      <SelectField
        at={key('model')}
        label="Model"
        value={text(job.model)}
        options={[...models].map(([model, info]) => [model, modelWords(model, info)] as const)}
        onChange={value => edit.setModel(index, value, models.get(value)?.sizes ?? unknown)}
      />
      <SelectField
        at={key('batch')}
        label="Batch size"
        hint="Of each worker: those that the model is profiled at."
        value={text(job.batch) || (sizes.length === 1 ? String(sizes[0]) : '')}
        options={sizes.map(size => [String(size), String(size)] as const)}
        onChange={value => edit.set(key('batch'), Number(value))}
      />
      <Count {...part} name="count" label="Copies" max={16} hint="Identical jobs that this one stands for." />
      {job.kind === 'burst' && <Burst {...part} />}
      {job.kind !== 'burst' && job.background !== true && (
        <>
          {list(job.moldable).length === 0 && (
            <NumberField
              at={key('workers')}
              label="Workers"
              hint="Copies of the model that train together, each on GPUs of its own: data parallel."
              value={number(job.workers, 1)}
              min={1}
              max={32}
              onChange={value => edit.set(key('workers'), value)}
            />
          )}
          <NumberField
            at={key('iterations')}
            label="Iterations"
            value={number(job.iterations, 0) || 1}
            min={1}
            max={200}
            onChange={value => edit.set(key('iterations'), value)}
          />
          <JobFurther {...part} sizes={of} more={more} />
        </>
      )}
    </div>
  )
}

function Burst({ job, index, edit }: JobPart) {
  const key = pathIn(index)
  return (
    <>
      <NumberField
        at={key('gpus')}
        label="GPUs"
        hint="The most that a layer has: a power of two."
        value={number(job.gpus, 1)}
        min={1}
        max={64}
        onChange={value => edit.set(key('gpus'), 2 ** Math.round(Math.log2(value)))}
      />
      <NumberField
        at={key('amplification')}
        label="Amplification"
        hint="The most GPU-time of a layer, over that on one GPU."
        value={number(job.amplification, 0) || 2}
        min={1}
        max={8}
        step={0.1}
        onChange={value => edit.set(key('amplification'), value)}
      />
      <NumberField
        at={key('slowdown')}
        label="Slowdown"
        hint="The most that the background may delay an iteration: its length over that alone."
        value={number(job.slowdown, 0) || 1.1}
        min={1}
        max={2}
        step={0.01}
        onChange={value => edit.set(key('slowdown'), value)}
      />
    </>
  )
}
