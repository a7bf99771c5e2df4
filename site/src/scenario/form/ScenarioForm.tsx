// The scenario as forms. They show what the text says, and a change affects only its own place in the text.
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Problem } from '../../engine/api'
import type { Store } from '../../state/store'
import { Later } from '../../ui/Later'
import { part } from '../../ui/part'
import { ScenarioEdit } from '../edit'
import { type Fields, fields, list, modelsOf, specOf, text } from '../spec'
import { ClusterForm } from './ClusterForm'
import { GeneralForm } from './GeneralForm'
import { goToField } from './goto'
import { JobList } from './JobList'
import { coloursOf } from './Swatch'
import { placeAfter } from './unfolded'
import { wrongsOf } from './wrongs'

const ModelDialog = part(() => import('../ModelDialog').then(module => module.ModelDialog))

const namesOf = (spec: Fields) => list(spec.jobs).map(job => text(fields(job).name))

interface Props {
  store: Store
  /** A problem whose field should get the focus. */
  wanted: Signal<Problem | null>
  /** Called if it has no field. */
  onLost(problem: Problem): void
}

export function ScenarioForm({ store, wanted, onLost }: Props) {
  const edit = useMemo(() => new ScenarioEdit(store.text), [store])
  const view = useMemo(() => specOf(store.text.text), [store])
  const { spec, stale } = view.value
  const jobs = list(spec.jobs).map(fields)
  // The job whose form is open, by its place among these names.
  const [open, setOpen] = useState<{ names: string[]; place: number | null }>({ names: [], place: null })
  const names = namesOf(spec)
  const unfolded = open.place === null ? null : placeAfter(open.names, names, open.place)
  useLayoutEffect(() => {
    if (open.place !== null && open.names.join('\n') !== names.join('\n')) setOpen({ names, place: unfolded })
  })
  /** For the current text, which may be newer than what is shown. */
  const unfold = (place: number | null) => setOpen({ names: namesOf(view.peek().spec), place })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const problem = wanted.value
    if (!problem) return
    wanted.value = null
    const [, job] = /^jobs\[(\d+)\]\./.exec(problem.path) ?? []
    if (job) unfold(Number(job))
    // After the form of its job has opened.
    setTimeout(() => {
      if (form.current && !goToField(form.current, problem.path)) onLost(problem)
    })
  }, [wanted.value])
  const describing = useSignal(false)
  const sound = store.sound.value
  // In the timeline, moldable jobs have the workers that were chosen.
  const mold = store.special.view.value?.mold
  const colours = useMemo(
    () => coloursOf(mold?.instance ? { instance: mold.instance, spec: mold.answer.spec } : sound),
    [mold, sound],
  )
  const models = useMemo(() => modelsOf(spec, store.profiles.value), [spec, store.profiles.value])
  const gpus = useMemo(() => [...new Set(store.profiles.value.map(({ gpu }) => gpu))], [store.profiles.value])
  return (
    <form ref={form} class="form" aria-label="Scenario form" onSubmit={event => event.preventDefault()}>
      {stale && (
        <p class="note warn" role="alert">
          {stale === 'large'
            ? 'The text is too long for the form: edit it as YAML.'
            : 'The text is not valid YAML at the moment: fix it in the editor to use the form.'}
        </p>
      )}
      {/* Nothing of another text is shown. */}
      <fieldset class="plain" disabled={stale !== ''} hidden={stale === 'large' || (stale !== '' && !sound)}>
        <GeneralForm spec={spec} edit={edit} />
        <details open>
          <summary>
            <h2>Cluster</h2>
          </summary>
          <ClusterForm spec={spec} gpus={gpus} edit={edit} instance={sound?.instance ?? null} />
        </details>
        <details open>
          <summary>
            <h2>Jobs</h2>
            <span class="muted">{jobs.length}</span>
          </summary>
          <Later>
            <JobList
              jobs={jobs}
              models={models}
              colours={colours}
              wrongs={wrongsOf(store.reading.value.problems)}
              edit={edit}
              unfolded={unfolded}
              onUnfold={unfold}
              onAnnounce={message => {
                store.status.value = message
              }}
            />
          </Later>
          <div class="actions">
            <button
              type="button"
              class="button"
              onClick={() => {
                edit.addJob(models.has('resnet50') ? 'resnet50' : ([...models.keys()][0] ?? 'resnet50'))
                unfold(jobs.length)
              }}
            >
              + Job
            </button>
            <button
              type="button"
              class="button"
              title="A model that is not in the list: by its dimensions, or from a Hugging Face config.json"
              onClick={() => {
                describing.value = true
              }}
            >
              + Model…
            </button>
          </div>
          {describing.value && (
            <ModelDialog
              store={store}
              onClose={() => {
                describing.value = false
              }}
            />
          )}
        </details>
      </fieldset>
    </form>
  )
}
