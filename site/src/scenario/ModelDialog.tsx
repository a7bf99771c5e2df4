// A model described by sliders: the dimensions of a transformer, its estimated profile on the
// cluster's GPUs, and a job that trains it. A Hugging Face config.json sets them all.

import type { Estimate } from '../engine/api'
import type { Store } from '../state/store'
import { Dialog } from '../ui/Dialog'
import { bytes, percent, significant } from '../views/format'
import { Figures, Origin, Training } from './ModelFields'
import { withModel } from './model'
import { useEstimate } from './useEstimate'
import type { Json } from './yaml/patch'

/** Models with more parameters have their states sharded among the workers. */
const LARGE = 2e9

export function ModelDialog({ store, onClose }: { store: Store; onClose: () => void }) {
  const { draft, change, read, source, model, estimate, failure } = useEstimate(store)
  const add = () => {
    if (!estimate) return
    const { workers, gpus, batch } = draft
    const large = estimate.estimates[0]!.parameters > LARGE
    store.text.edit(withModel(source, estimate.profiles as Json[], { workers, gpus, batch, large }))
    store.status.value = `${model} is in the scenario with an estimated profile; undo removes it.`
    onClose()
  }
  return (
    <Dialog title="A model by its dimensions" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field for files below does the same */}
      <div
        class="fields"
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          event.preventDefault()
          void read(event.dataTransfer?.files[0])
        }}
      >
        <Origin draft={draft} model={model} change={change} onFile={file => void read(file)} />
        <Figures draft={draft} change={change} />
        <Training draft={draft} change={change} />
      </div>
      {failure && (
        <p class="note alarm" role="alert">
          {failure}
        </p>
      )}
      <ul class="rows" aria-label="Estimates">
        {estimate?.estimates.map(of => (
          <EstimateRow key={of.gpu} of={of} />
        ))}
      </ul>
      <p>
        <button type="button" class="button primary" disabled={!estimate} onClick={add}>
          Add to the scenario
        </button>
      </p>
    </Dialog>
  )
}

function EstimateRow({ of: e }: { of: Estimate }) {
  return (
    <li>
      <strong>{e.gpu}</strong>{' '}
      <span class="muted">
        estimated, not measured: {significant(e.parameters / 1e9, 3)} G parameters
        {e.active < e.parameters && ` (${significant(e.active / 1e9, 3)} G active per token)`}, forward{' '}
        {significant(e.forward_ms, 3)} ms, backward {significant(e.backward_ms, 3)} ms, activations{' '}
        {bytes(e.activations)}, MFU {percent(e.mfu, 0)}
      </span>
    </li>
  )
}
