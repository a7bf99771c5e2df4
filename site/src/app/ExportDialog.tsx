import { useSignal } from '@preact/signals'
import type { ExportFormat } from '../engine/api'
import { download, fileName, toPNG } from '../keep/files'
import { fields, text } from '../scenario/spec'
import type { Json } from '../scenario/yaml/patch'
import type { Store } from '../state/store'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'
import { Icon } from '../ui/icons'
import { commandOf } from './command'
import { staleOf } from './run'

type Format = ExportFormat | 'png' | 'certificate'

const formats: readonly (readonly [group: string, rows: readonly (readonly [Format, string, string])[]])[] = [
  [
    'Scenario',
    [
      ['yaml', 'YAML', 'the text as it is'],
      ['json', 'JSON', 'for programs'],
      ['mps', 'MPS', 'the integer program, for CBC, HiGHS, SCIP, Gurobi'],
      ['lp', 'LP', 'the same program, easier to read'],
    ],
  ],
  [
    'Plan',
    [
      ['svg', 'SVG', 'the timeline as a drawing'],
      ['png', 'PNG', 'the timeline as a picture'],
      ['csv', 'CSV', 'one row per task'],
      ['trace', 'Perfetto trace', 'for ui.perfetto.dev'],
      ['schedule', 'Schedule', 'JSON, for jigsaw check'],
      ['result', 'Result', 'JSON, as jigsaw plan -o json'],
      ['certificate', 'Certificate', 'the proof of the bound, for jigsaw certify'],
    ],
  ],
]

export function ExportDialog({ store, onClose }: { store: Store; onClose: () => void }) {
  const failed = useSignal('')
  const busy = useSignal(false)
  const view = store.planning.view.value
  // The command plans the saved text, so only a plan of that text has one. No command reproduces a run that was stopped.
  const result = view?.text === store.text.text.value ? view.result : null
  const command = view && result && !result.stopped ? commandOf(view.text, view.instance.name, result) : ''
  const special = store.special.view.value?.kind
  const lacks = (format: Format) =>
    format === 'certificate'
      ? !view?.result?.certificate
      : ['mps', 'lp'].includes(format)
        ? special !== undefined
        : !['yaml', 'json'].includes(format) && !view?.schedule

  const save = async (format: Format) => {
    failed.value = ''
    busy.value = true
    try {
      if (format === 'yaml') {
        // Works for a text with problems too, which the core does not export.
        const { name } = fields(store.reading.peek().spec as Json)
        download(`${fileName(text(name))}.yaml`, store.text.text.peek(), 'application/yaml')
      } else if (format === 'json' && special) {
        // The core exports only scenarios that are planned task by task.
        const spec = store.reading.peek().spec as Json
        download(
          `${fileName(text(fields(spec).name))}.json`,
          JSON.stringify(spec, null, 2),
          'application/json',
        )
      } else if (format === 'certificate')
        download(
          `${fileName(view?.instance.name ?? '')}.cert.json`,
          view?.result?.certificate ?? '',
          'application/json',
        )
      else {
        const ofPlan = !['json', 'mps', 'lp'].includes(format)
        // A plan of the current text makes the integer program smaller.
        const narrows = format !== 'json' && view?.text === store.text.text.peek()
        const file = await store.engine.call('export', {
          text: ofPlan && view ? view.text : store.text.text.peek(),
          format: format === 'png' ? 'svg' : format,
          ...((ofPlan || narrows) && view?.schedule && { schedule: view.schedule }),
          ...(typeof view?.result?.dual === 'number' && {
            bound: view.result.dual,
            certified: view.result.certified,
          }),
        })
        if (format === 'png') download(file.name.replace(/\.svg$/, '.png'), await toPNG(file.data))
        else download(file.name, file.data, file.mime)
      }
    } catch (error) {
      failed.value = error instanceof Error ? error.message : String(error)
    } finally {
      busy.value = false
    }
  }

  return (
    <Dialog title="Export" onClose={onClose}>
      {failed.value && (
        <p class="note alarm" role="alert">
          {failed.value}
        </p>
      )}
      {view && staleOf(view.instance, store) && (
        <p class="note warn">
          The plan is for an earlier version of the scenario; the scenario is exported as it is now.
        </p>
      )}
      {special && (
        <p class="note">
          {special === 'mold'
            ? 'The scenario does not contain the numbers of workers yet: “Plan with these” adds them, and then everything can be exported.'
            : 'Burst-parallel jobs have no integer program, and their plan cannot be exported.'}
        </p>
      )}
      {view?.long && !view.schedule && (
        <p class="note">
          A plan in blocks is not written out task by task here. The command line can export it:{' '}
          <code>jigsaw plan</code> with <code>--gantt</code>, <code>--jobs-out</code> or <code>-o json</code>.
        </p>
      )}
      {formats.map(([group, rows]) => (
        <section key={group}>
          <h3>{group}</h3>
          <ul class="rows">
            {rows.map(([format, label, what]) => (
              <li key={format}>
                <button
                  type="button"
                  class="row-title"
                  disabled={busy.value || lacks(format)}
                  onClick={() => void save(format)}
                >
                  <strong>
                    <Icon name="download" /> {label}
                  </strong>
                  <span class="muted">{what}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {command && <CopyField label="The command that makes this plan" value={command} />}
    </Dialog>
  )
}
