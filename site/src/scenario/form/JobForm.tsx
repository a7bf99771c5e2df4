// All there is to say of one job: what most jobs need, then the rest, folded.
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { CheckField, NumberField, SelectField, TextField } from '../../ui/fields'
import type { ScenarioEdit } from '../edit'
import { isDuration } from '../quantity'
import { type Fields, fields, list, type ModelInfo, number, type Sizes, text } from '../spec'
import type { Path } from '../yaml/path'

const rules = [
  ['full', 'full: all at full depth'],
  ['ladder', 'ladder: even steps'],
  ['free', 'free: the planner chooses'],
] as const

const within = [
  ['cluster', 'the whole cluster'],
  ['rack', 'one rack'],
  ['node', 'one node'],
] as const

const optimizers = [
  ['sgd', 'SGD'],
  ['momentum', 'momentum'],
  ['adam', 'Adam'],
] as const

const shardings = [
  ['none', 'none'],
  ['zero1', 'ZeRO 1: optimizer states'],
  ['zero2', 'ZeRO 2: and gradients'],
  ['zero3', 'ZeRO 3: and parameters'],
] as const

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

/** Empty, or numbers with commas between. */
const depthList = /^(\s*\d+\s*(,\s*\d+\s*)*)?$/

/** Keys that few jobs need, in words, by what they are about. */
const further = {
  Time: { weight: 'weight', release: 'release', deadline: 'deadline' },
  Depths: { spb: 'depths' },
  Memory: {
    optimizer: 'optimizer',
    sharding: 'sharding',
    accumulate: 'micro-batches',
    checkpointing: 'checkpointing',
  },
  Placement: { gpus_per_worker: 'GPUs per worker', placement: 'placement', gang: 'common start' },
}

export function JobForm(props: {
  job: Fields
  index: number
  models: ReadonlyMap<string, ModelInfo>
  edit: ScenarioEdit
  /** Whether the fields that few jobs need show. */
  more: Signal<boolean>
}) {
  const { job, index, models, edit, more } = props
  const key = (...names: string[]): Path => ['jobs', index, ...names]
  const spb = fields(job.spb)
  const rule = text(spb.rule) || 'ladder'
  const workers = number(job.workers, 1)
  const gpus = number(job.gpus_per_worker, 0) || 1
  const of = models.get(text(job.model))?.sizes ?? unknown
  const sizes = of.get(gpus) ?? []
  const set = Object.values(further)
    .flatMap(words => Object.entries(words))
    .flatMap(([name, word]) => (job[name] === undefined ? [] : [word]))
  const duration = (name: 'release' | 'deadline', hint: string, label: string) => (
    <TextField
      at={key(name)}
      label={label}
      hint={hint}
      placeholder="none"
      value={text(job[name])}
      fits={value => value === '' || isDuration(value)}
      onChange={value => edit.set(key(name), value === '' || value === '0' ? undefined : value)}
    />
  )
  /** Of a number that is 1 unless the file says more. */
  const count = (name: string, label: string, max: number, hint: string) => (
    <NumberField
      at={key(name)}
      label={label}
      hint={hint}
      value={number(job[name], 0) || 1}
      min={1}
      max={max}
      onChange={value => edit.setUnless(key(name), value, 1)}
    />
  )
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
      {count('count', 'Copies', 16, 'Identical jobs that this one stands for.')}
      {job.kind === 'burst' && (
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
      )}
      {job.kind !== 'burst' && job.background !== true && (
        <>
          {list(job.moldable).length === 0 && (
            <NumberField
              at={key('workers')}
              label="Workers"
              hint="Copies of the model that train together, each on GPUs of its own: data parallel."
              value={workers}
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
          <details
            class="further"
            open={more.value}
            onToggle={event => {
              more.value = event.currentTarget.open
            }}
          >
            <summary>
              <span>More</span>
              <span class="muted">
                {set.length > 0 ? `set: ${set.join(', ')}` : Object.keys(further).join(', ').toLowerCase()}
              </span>
            </summary>
            <Group title="Time">
              {count('weight', 'Weight', 20, 'In the objectives that weigh jobs.')}
              {duration('release', 'When the job may start, like 2s.', 'Release')}
              {duration('deadline', 'When the job must have ended, like 30s.', 'Deadline')}
            </Group>
            <Group title="Depths">
              <SelectField
                at={key('spb', 'rule')}
                label="Rule"
                hint="The rule of structured partial backpropagation (SPB)."
                value={rule}
                options={rules}
                onChange={value => edit.set(key('spb', 'rule'), value)}
              />
              {rule !== 'full' && (
                <NumberField
                  at={key('spb', 'cuts')}
                  label="Allowed depths"
                  value={number(spb.cuts, 0) || 4}
                  min={1}
                  max={16}
                  disabled={spb.depths !== undefined}
                  onChange={value => edit.setUnless(key('spb', 'cuts'), value, 4)}
                />
              )}
              {rule !== 'full' && (
                <TextField
                  at={key('spb', 'depths')}
                  label="Which depths"
                  hint="In layers from the last one, like 4, 8, 16, instead of their number."
                  placeholder="even steps"
                  value={list(spb.depths).map(text).join(', ')}
                  fits={value => depthList.test(value)}
                  onChange={value => edit.setDepths(index, value.split(',').filter(Boolean).map(Number))}
                />
              )}
              {rule === 'free' && (
                <>
                  <NumberField
                    at={key('spb', 'min_full')}
                    label="Full-depth workers"
                    hint="At least so many in each iteration."
                    value={number(spb.min_full, 0) || 1}
                    min={1}
                    max={Math.max(1, workers)}
                    onChange={value => edit.setUnless(key('spb', 'min_full'), value, 1)}
                  />
                  <NumberField
                    at={key('spb', 'min_mean_depth')}
                    label="Mean depth, at least"
                    hint="Share of the backward pass, over the workers of an iteration."
                    value={share(spb.min_mean_depth)}
                    min={0}
                    max={1}
                    step={0.05}
                    onChange={value => edit.setUnless(key('spb', 'min_mean_depth'), value, 0)}
                  />
                </>
              )}
            </Group>
            <Group title="Memory">
              <SelectField
                at={key('optimizer')}
                label="Optimizer"
                hint="What it keeps beside parameters and gradients: nothing, one state, or two, of the parameters' size."
                value={text(job.optimizer) || 'momentum'}
                options={optimizers}
                onChange={value => edit.setUnless(key('optimizer'), value, 'momentum')}
              />
              <SelectField
                at={key('sharding')}
                label="Sharding"
                hint="What the workers deal out among them, instead of each keeping it whole."
                value={text(job.sharding) || 'none'}
                options={shardings}
                onChange={value => edit.setUnless(key('sharding'), value, 'none')}
              />
              {count('accumulate', 'Micro-batches', 32, 'Before each synchronisation.')}
              <CheckField
                at={key('checkpointing')}
                label="Checkpointing"
                hint="Keeps the inputs of blocks alone, and works blocks out again; for profiles that tell these inputs."
                value={job.checkpointing === true}
                onChange={value => edit.setUnless(key('checkpointing'), value, false)}
              />
            </Group>
            <Group title="Placement">
              {count(
                'gpus_per_worker',
                'GPUs per worker',
                16,
                `Of one node, which compute together: tensor or pipeline parallel. The profile is that of all of them${of.size > 0 ? `: this model has one for ${[...of.keys()].join(' and ')}` : ''}.`,
              )}
              <SelectField
                at={key('placement', 'within')}
                label="Workers in"
                value={text(fields(job.placement).within) || 'cluster'}
                options={within}
                onChange={value => edit.set(key('placement', 'within'), value)}
              />
              <CheckField
                at={key('gang')}
                label="Common start"
                hint="The tasks of an iteration start together."
                value={job.gang === true}
                onChange={value => edit.setUnless(key('gang'), value, false)}
              />
            </Group>
          </details>
        </>
      )}
    </div>
  )
}

function Group({ title, children }: { title: keyof typeof further; children: ComponentChildren }) {
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <div class="fields">{children}</div>
    </fieldset>
  )
}

/** Shares are numbers or texts like 60%. */
function share(value: Fields[string] | undefined): number {
  if (typeof value === 'number') return value
  const match = /^\s*([\d.]+)\s*(%?)\s*$/.exec(text(value))
  return match ? Number(match[1]) / (match[2] ? 100 : 1) : 0
}
