// A model by sliders: the figures of a transformer, what its profile comes to on the cluster's
// GPUs, and a job that trains it. A Hugging Face config.json sets them all.

import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Architecture, EstimateResult } from '../engine/api'
import { readText } from '../keep/files'
import type { Store } from '../state/store'
import { Dialog } from '../ui/Dialog'
import { CheckField, NumberField, SelectField, TextField } from '../ui/fields'
import { bytes, percent, significant } from '../views/format'
import { families, modelName, presets, withModel } from './model'
import { fields } from './spec'
import { type Json, parse } from './yaml/patch'

/** Models of more parameters have their states dealt out among the workers. */
const LARGE = 2e9
const precisions = [
  ['', 'as the GPUs train in'],
  ['bf16', 'bf16'],
  ['fp16', 'fp16'],
  ['tf32', 'tf32'],
  ['fp32', 'fp32'],
] as const

const same = (a: Architecture, b: Architecture) => JSON.stringify(a) === JSON.stringify(b)

export function ModelDialog({ store, onClose }: { store: Store; onClose: () => void }) {
  const [name, setName] = useState('')
  const [preset, setPreset] = useState(presets[0]![0])
  const [architecture, setArchitecture] = useState<Architecture>(presets[0]![1])
  /** A file's text, which may say more than sliders do, and whether one was moved since it was read. */
  const [config, setConfig] = useState('')
  const moved = useRef(false)
  const [batch, setBatch] = useState(1)
  const [sequence, setSequence] = useState(2048)
  const [precision, setPrecision] = useState('')
  const [checkpointing, setCheckpointing] = useState(true)
  const [workers, setWorkers] = useState(8)
  const [gpus, setGPUs] = useState(1)
  const estimate = useSignal<EstimateResult | null>(null)
  const failure = useSignal('')

  const source = store.text.text.value
  const model =
    name ||
    modelName(
      preset,
      fields(parse(source)),
      store.profiles.value.map(profile => profile.model),
    )
  useEffect(() => {
    const run = new AbortController()
    const known = { ...(config && { config }), ...((!config || moved.current) && { architecture }) }
    const vision = config.includes('"vit"')
    store.engine
      .call(
        'estimate',
        {
          text: source,
          model,
          ...known,
          batch,
          precision,
          checkpointing,
          gpus_per_worker: gpus,
          ...(!vision && { sequence }),
        },
        run,
      )
      .then(result => {
        if (run.signal.aborted) return
        estimate.value = result
        failure.value = ''
        // What a file says, sliders show, until one is moved.
        if (config && !moved.current && !same(result.architecture, architecture))
          setArchitecture(result.architecture)
      })
      .catch(error => {
        if (run.signal.aborted) return
        estimate.value = null
        failure.value = error instanceof Error ? error.message : String(error)
      })
    return () => run.abort()
  }, [source, model, config, architecture, batch, sequence, precision, checkpointing, gpus])

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
      onChange={value => {
        moved.current = true
        setArchitecture({ ...architecture, [key]: value })
      }}
    />
  )
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      const text = await readText(file)
      setPreset(file.name === 'config.json' ? 'my-model' : file.name.replace(/\.\w+$/, ''))
      moved.current = false
      setConfig(text)
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    }
  }
  const add = () => {
    if (!estimate.value) return
    const large = estimate.value.estimates[0]!.parameters > LARGE
    store.text.edit(withModel(source, estimate.value.profiles as Json[], { workers, gpus, batch, large }))
    store.status.value = `${model} is in the scenario with an estimated profile; undo takes it back.`
    onClose()
  }
  return (
    <Dialog title="A model by its figures" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field for files below does the same */}
      <div
        class="fields"
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          event.preventDefault()
          void read(event.dataTransfer?.files[0])
        }}
      >
        <SelectField
          label="Begin with"
          value={preset}
          options={presets.map(([key]) => [key, key] as const)}
          onChange={value => {
            setConfig('')
            setPreset(value)
            setArchitecture(presets.find(([key]) => key === value)?.[1] ?? architecture)
          }}
        />
        <div class="field">
          <label for="model-config">Or a config.json</label>
          <input
            id="model-config"
            type="file"
            accept=".json,application/json"
            onChange={event => void read(event.currentTarget.files?.[0])}
          />
        </div>
        <TextField label="Name" value={model} fits={value => value.trim() !== ''} onChange={setName} />
        <SelectField
          label="Family"
          value={architecture.type}
          options={[...new Set([architecture.type, ...families])].map(key => [key, key] as const)}
          onChange={type => {
            setConfig('')
            const positions = type === 'gpt2' || type === 'bert' ? architecture.positions || sequence : 0
            setArchitecture({ ...architecture, type, positions })
          }}
        />
        {figure('Layers', 'layers', 128, 1)}
        {figure('Hidden size', 'hidden', 16384, 64)}
        {figure('Heads', 'heads', 128, 1)}
        {figure('Key-value heads', 'kv_heads', 128, 1, '0: as many as heads')}
        {figure('Feed-forward size', 'ffn', 65536, 128)}
        {figure('Vocabulary', 'vocabulary', 262144, 1)}
        <NumberField label="Sequence length" value={sequence} min={1} max={32768} onChange={setSequence} />
        <NumberField
          label="Batch size"
          hint="Samples of each worker."
          value={batch}
          min={1}
          max={64}
          onChange={setBatch}
        />
        <SelectField label="Precision" value={precision} options={precisions} onChange={setPrecision} />
        <CheckField
          label="Checkpointing"
          hint="Keeps the inputs of blocks alone, and works blocks out again."
          value={checkpointing}
          onChange={setCheckpointing}
        />
        <NumberField label="Workers" value={workers} min={1} max={64} onChange={setWorkers} />
        <NumberField
          label="GPUs per worker"
          hint="Of one node, which share every layer: tensor parallel."
          value={gpus}
          min={1}
          max={16}
          onChange={setGPUs}
        />
      </div>
      {failure.value && (
        <p class="note alarm" role="alert">
          {failure.value}
        </p>
      )}
      <ul class="rows" aria-label="Estimates">
        {estimate.value?.estimates.map(e => (
          <li key={e.gpu}>
            <strong>{e.gpu}</strong>{' '}
            <span class="muted">
              estimated, not measured: {significant(e.parameters / 1e9, 3)} G parameters
              {e.active < e.parameters && ` (${significant(e.active / 1e9, 3)} G for each token)`}, forward{' '}
              {significant(e.forward_ms, 3)} ms, backward {significant(e.backward_ms, 3)} ms, activations{' '}
              {bytes(e.activations)}, MFU {percent(e.mfu, 0)}
            </span>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" class="button primary" disabled={!estimate.value} onClick={add}>
          Add to the scenario
        </button>
      </p>
    </Dialog>
  )
}
