// Estimates of a described model on the cluster's GPUs, which the core makes again after each change.

import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Architecture, EstimateResult } from '../engine/api'
import { readText } from '../keep/files'
import type { Store } from '../state/store'
import { modelName, presets } from './model'
import { fields } from './spec'
import { parse } from './yaml/patch'

/** A model by its figures, and how it is trained. */
export interface Draft {
  /** Empty: the name of the preset. */
  name: string
  preset: string
  architecture: Architecture
  /** A file's text, which may say more than the sliders, and whether a slider was moved since it was read. */
  config: string
  moved: boolean
  batch: number
  sequence: number
  precision: string
  checkpointing: boolean
  workers: number
  gpus: number
}

const first: Draft = {
  name: '',
  preset: presets[0]![0],
  architecture: presets[0]![1],
  config: '',
  moved: false,
  batch: 1,
  sequence: 2048,
  precision: '',
  checkpointing: true,
  workers: 8,
  gpus: 1,
}

const same = (a: Architecture, b: Architecture) => JSON.stringify(a) === JSON.stringify(b)

export function useEstimate(store: Store) {
  const [draft, setDraft] = useState(first)
  const change = (part: Partial<Draft>) => setDraft(now => ({ ...now, ...part }))
  const estimate = useSignal<EstimateResult | null>(null)
  const failure = useSignal('')
  const fail = (error: unknown) => {
    failure.value = error instanceof Error ? error.message : String(error)
  }
  const { preset, architecture, config, moved, batch, sequence, precision, checkpointing, gpus } = draft
  const source = store.text.text.value
  const model =
    draft.name ||
    modelName(
      preset,
      fields(parse(source)),
      store.profiles.value.map(profile => profile.model),
    )
  useEffect(() => {
    const run = new AbortController()
    const known = { ...(config && { config }), ...((!config || moved) && { architecture }) }
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
        // The sliders show what the file says, until one is moved.
        if (config && !moved && !same(result.architecture, architecture))
          change({ architecture: result.architecture })
      })
      .catch(error => {
        if (run.signal.aborted) return
        estimate.value = null
        fail(error)
      })
    return () => run.abort()
  }, [source, model, config, moved, architecture, batch, sequence, precision, checkpointing, gpus])

  /** Takes the figures of a config.json. */
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      const config = await readText(file)
      const preset = file.name === 'config.json' ? 'my-model' : file.name.replace(/\.\w+$/, '')
      change({ preset, config, moved: false })
    } catch (error) {
      fail(error)
    }
  }
  return { draft, change, read, source, model, estimate: estimate.value, failure: failure.value }
}
