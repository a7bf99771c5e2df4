// The fields that few jobs need, folded away.
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { CheckField, NumberField, SelectField, TextField } from '../../ui/fields'
import { isDuration } from '../quantity'
import { type Fields, fields, list, number, type Sizes, text } from '../spec'
import { Count, type JobPart, pathIn } from './jobPart'

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

/** Empty, or numbers separated by commas. */
const depthList = /^(\s*\d+\s*(,\s*\d+\s*)*)?$/

/** Keys that few jobs need, in words, by subject. */
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

/** sizes are those of the job's model; more: whether it is unfolded. */
export function JobFurther({ sizes, more, ...part }: JobPart & { sizes: Sizes; more: Signal<boolean> }) {
  const set = Object.values(further)
    .flatMap(words => Object.entries(words))
    .flatMap(([name, word]) => (part.job[name] === undefined ? [] : [word]))
  return (
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
        <Count
          {...part}
          name="weight"
          label="Weight"
          max={20}
          hint="Used by the objectives that weight jobs."
        />
        <Duration {...part} name="release" label="Release" hint="When the job may start, such as 2s." />
        <Duration
          {...part}
          name="deadline"
          label="Deadline"
          hint="When the job must have ended, such as 30s."
        />
      </Group>
      <Depths {...part} />
      <Memory {...part} />
      <Placement {...part} sizes={sizes} />
    </details>
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

function Duration({
  job,
  index,
  edit,
  name,
  label,
  hint,
}: JobPart & { name: 'release' | 'deadline'; label: string; hint: string }) {
  const at = pathIn(index)(name)
  return (
    <TextField
      at={at}
      label={label}
      hint={hint}
      placeholder="none"
      value={text(job[name])}
      fits={value => value === '' || isDuration(value)}
      onChange={value => edit.set(at, value === '' || value === '0' ? undefined : value)}
    />
  )
}

function Depths({ job, index, edit }: JobPart) {
  const key = pathIn(index)
  const spb = fields(job.spb)
  const rule = text(spb.rule) || 'ladder'
  return (
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
          hint="In layers counted from the last one, such as 4, 8, 16. They replace the number of depths."
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
            hint="The minimum in each iteration."
            value={number(spb.min_full, 0) || 1}
            min={1}
            max={Math.max(1, number(job.workers, 1))}
            onChange={value => edit.setUnless(key('spb', 'min_full'), value, 1)}
          />
          <NumberField
            at={key('spb', 'min_mean_depth')}
            label="Mean depth, at least"
            hint="Share of the backward pass, averaged over the workers of an iteration."
            value={share(spb.min_mean_depth)}
            min={0}
            max={1}
            step={0.05}
            onChange={value => edit.setUnless(key('spb', 'min_mean_depth'), value, 0)}
          />
        </>
      )}
    </Group>
  )
}

function Memory(part: JobPart) {
  const { job, edit } = part
  const key = pathIn(part.index)
  return (
    <Group title="Memory">
      <SelectField
        at={key('optimizer')}
        label="Optimizer"
        hint="What it keeps besides parameters and gradients: nothing, or one or two states of the parameters' size."
        value={text(job.optimizer) || 'momentum'}
        options={optimizers}
        onChange={value => edit.setUnless(key('optimizer'), value, 'momentum')}
      />
      <SelectField
        at={key('sharding')}
        label="Sharding"
        hint="What is split among the workers, instead of each keeping all of it."
        value={text(job.sharding) || 'none'}
        options={shardings}
        onChange={value => edit.setUnless(key('sharding'), value, 'none')}
      />
      <Count
        {...part}
        name="accumulate"
        label="Micro-batches"
        max={32}
        hint="Accumulated before each synchronisation."
      />
      <CheckField
        at={key('checkpointing')}
        label="Checkpointing"
        hint="Keeps only the inputs of blocks, and recomputes the blocks; needs profiles that contain these inputs."
        value={job.checkpointing === true}
        onChange={value => edit.setUnless(key('checkpointing'), value, false)}
      />
    </Group>
  )
}

function Placement({ sizes, ...part }: JobPart & { sizes: Sizes }) {
  const { job, edit } = part
  const key = pathIn(part.index)
  return (
    <Group title="Placement">
      <Count
        {...part}
        name="gpus_per_worker"
        label="GPUs per worker"
        max={16}
        hint={`GPUs of one node that compute together: tensor or pipeline parallelism. The profile covers all of them${sizes.size > 0 ? `: this model has one for ${[...sizes.keys()].join(' and ')}` : ''}.`}
      />
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
  )
}

/** Shares are numbers or texts like 60%. */
function share(value: Fields[string] | undefined): number {
  if (typeof value === 'number') return value
  const match = /^\s*([\d.]+)\s*(%?)\s*$/.exec(text(value))
  return match ? Number(match[1]) / (match[2] ? 100 : 1) : 0
}
