// Links that are cut, and a list to cut another one.
import { useId } from 'preact/hooks'
import type { Compiled } from '../../engine/api'
import type { ScenarioEdit } from '../edit'

export function LinkField({
  instance,
  failed,
  edit,
}: {
  instance: Compiled | null
  failed: string[]
  edit: ScenarioEdit
}) {
  const id = useId()
  const whole = instance?.links.filter(link => !failed.includes(link.name)).map(link => link.name) ?? []
  return (
    <div class="field tall">
      <label for={id}>Cut links</label>
      <div class="chips">
        {failed.map(name => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Mend link ${name}`}
            onClick={() => edit.cut(name, false)}
          >
            {name} ✕
          </button>
        ))}
        <select
          id={id}
          class="select"
          value=""
          disabled={whole.length === 0}
          onChange={event => {
            edit.cut(event.currentTarget.value, true)
            event.currentTarget.value = ''
          }}
        >
          <option value="">cut a link…</option>
          {whole.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}
