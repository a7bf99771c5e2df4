// The form of one job: what most jobs need, then the rest, folded.
import type { Signal } from '@preact/signals'
import { NumberField, SelectField, TextField } from '../../ui/fields'
import { list, type ModelInfo, number, type Sizes, text } from '../spec'
import { JobFurther } from './JobFurther'
import { Count, type JobPart, pathIn } from './jobPart'

/** A model in the list: whether it was measured, for how many GPUs per worker, and, if it has no profile for the cluster's GPUs, for which GPUs it has one. */
function modelWords(name: string, { sizes, gpus, measured }: ModelInfo): string {
  const notes = [
    ...(measured ? [] : ['estimated']),
    ...(sizes.size === 0 ? [`on ${gpus.join(' and ')} only`] : []),
    ...(sizes.size === 0 || sizes.has(1) ? [] : [`${[...sizes.keys()].join(' or ')} GPUs per worker`]),
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
  /** Whether the fields that few jobs need are unfolded. */
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
        hint="No two jobs may have the same name."
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
        hint="Per worker: one of the sizes for which the model is profiled."
        value={text(job.batch) || (sizes.length === 1 ? String(sizes[0]) : '')}
        options={sizes.map(size => [String(size), String(size)] as const)}
        onChange={value => edit.set(key('batch'), Number(value))}
      />
      <Count
        {...part}
        name="count"
        label="Copies"
        max={16}
        hint="How many identical jobs this entry stands for."
      />
      {job.kind === 'burst' && <Burst {...part} />}
      {job.kind !== 'burst' && job.background !== true && (
        <>
          {list(job.moldable).length === 0 && (
            <NumberField
              at={key('workers')}
              label="Workers"
              hint="Copies of the model that train together, each on its own GPUs: data parallelism."
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
        hint="The most that one layer may use: a power of two."
        value={number(job.gpus, 1)}
        min={1}
        max={64}
        onChange={value => edit.set(key('gpus'), 2 ** Math.round(Math.log2(value)))}
      />
      <NumberField
        at={key('amplification')}
        label="Amplification"
        hint="The largest GPU-time of a layer, divided by its time on one GPU."
        value={number(job.amplification, 0) || 2}
        min={1}
        max={8}
        step={0.1}
        onChange={value => edit.set(key('amplification'), value)}
      />
      <NumberField
        at={key('slowdown')}
        label="Slowdown"
        hint="The largest factor by which background jobs may lengthen an iteration."
        value={number(job.slowdown, 0) || 1.1}
        min={1}
        max={2}
        step={0.01}
        onChange={value => edit.set(key('slowdown'), value)}
      />
    </>
  )
}
