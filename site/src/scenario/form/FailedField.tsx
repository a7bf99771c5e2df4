// What is out of service, and a list of what else could be.
import { useId } from 'preact/hooks'
import type { FailedList, ScenarioEdit } from '../edit'
import { type Path, pathText } from '../yaml/path'

interface FailedFieldProps {
  at: Path
  label: string
  /** The noun for one of them. */
  noun: string
  list: FailedList
  failed: string[]
  /** What can fail; absent if no list is offered. */
  all: readonly string[] | undefined
  edit: ScenarioEdit
}

export function FailedField({ at, label, noun, list, failed, all, edit }: FailedFieldProps) {
  const id = useId()
  const out = new Set(failed)
  const working = all?.filter(name => !out.has(name))
  if (!working && failed.length === 0) return null
  return (
    <div class="field tall" data-at={pathText(at)}>
      {working ? <label for={id}>{label}</label> : <span>{label}</span>}
      <div class="chips">
        {failed.map(name => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Restore ${noun} ${name}`}
            onClick={() => edit.fail(list, name, false)}
          >
            {name} ✕
          </button>
        ))}
        {working && (
          <select
            id={id}
            class="select"
            value=""
            disabled={working.length === 0}
            onChange={event => {
              edit.fail(list, event.currentTarget.value, true)
              event.currentTarget.value = ''
            }}
          >
            <option value="">cut a {noun}…</option>
            {working.map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
    </div>
  )
}
