// The figures of a model, and how it is trained, as fields.

import type { Architecture } from '../engine/api'
import { CheckField, NumberField, SelectField, TextField } from '../ui/fields'
import { families, presets } from './model'
import type { Draft } from './useEstimate'

const precisions = [
  ['', 'default of the GPUs'],
  ['bf16', 'bf16'],
  ['fp16', 'fp16'],
  ['tf32', 'tf32'],
  ['fp32', 'fp32'],
] as const

type Change = (part: Partial<Draft>) => void

/** Where the figures come from, and the model's name. */
export function Origin(of: {
  draft: Draft
  model: string
  change: Change
  onFile: (file: File | undefined) => void
}) {
  const { draft, model, change, onFile } = of
  return (
    <>
      <SelectField
        label="Start from"
        value={draft.preset}
        options={presets.map(([key]) => [key, key] as const)}
        onChange={preset => {
          const [, architecture = draft.architecture] = presets.find(([key]) => key === preset) ?? []
          change({ preset, architecture, config: '' })
        }}
      />
      <div class="field">
        <label for="model-config">Or a config.json</label>
        <input
          id="model-config"
          type="file"
          accept=".json,application/json"
          onChange={event => onFile(event.currentTarget.files?.[0])}
        />
      </div>
      <TextField
        label="Name"
        value={model}
        fits={value => value.trim() !== ''}
        onChange={name => change({ name })}
      />
    </>
  )
}

/** The fields for the figures of a transformer. */
export function Figures({ draft, change }: { draft: Draft; change: Change }) {
  const { architecture, sequence } = draft
  const figure = (
    label: string,
    key: Exclude<keyof Architecture, 'type'>,
    max: number,
    step: number,
    hint = '',
  ) => (
    <NumberField
      label={label}
      hint={hint}
      value={architecture[key]}
      min={key === 'kv_heads' || key === 'positions' ? 0 : 1}
      max={max}
      step={step}
      onChange={value => change({ moved: true, architecture: { ...architecture, [key]: value } })}
    />
  )
  return (
    <>
      <SelectField
        label="Family"
        value={architecture.type}
        options={[...new Set([architecture.type, ...families])].map(key => [key, key] as const)}
        onChange={type => {
          const positions = type === 'gpt2' || type === 'bert' ? architecture.positions || sequence : 0
          change({ config: '', architecture: { ...architecture, type, positions } })
        }}
      />
      {figure('Layers', 'layers', 128, 1)}
      {figure('Hidden size', 'hidden', 16384, 64)}
      {figure('Heads', 'heads', 128, 1)}
      {figure('Key-value heads', 'kv_heads', 128, 1, '0: as many as heads')}
      {figure('Feed-forward size', 'ffn', 65536, 128)}
      {figure('Vocabulary', 'vocabulary', 262144, 1)}
    </>
  )
}

/** The fields for how a model is trained. */
export function Training({ draft, change }: { draft: Draft; change: Change }) {
  const number = (label: string, key: 'sequence' | 'batch' | 'workers' | 'gpus', max: number, hint = '') => (
    <NumberField
      label={label}
      hint={hint}
      value={draft[key]}
      min={1}
      max={max}
      onChange={value => change({ [key]: value })}
    />
  )
  return (
    <>
      {number('Sequence length', 'sequence', 32768)}
      {number('Batch size', 'batch', 64, 'Samples per worker.')}
      <SelectField
        label="Precision"
        value={draft.precision}
        options={precisions}
        onChange={precision => change({ precision })}
      />
      <CheckField
        label="Checkpointing"
        hint="Keeps only the inputs of blocks, and recomputes the blocks in the backward pass."
        value={draft.checkpointing}
        onChange={checkpointing => change({ checkpointing })}
      />
      {number('Workers', 'workers', 64)}
      {number('GPUs per worker', 'gpus', 16, 'GPUs of one node that share every layer: tensor parallelism.')}
    </>
  )
}
