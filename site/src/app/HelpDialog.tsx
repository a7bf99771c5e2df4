import type { Store } from '../state/store'
import { KEYS } from '../timeline/keys'
import { CONTROL } from '../ui/control'
import { Dialog } from '../ui/Dialog'
import { PICTURE } from './Welcome'

const keys: readonly (readonly [group: string, rows: readonly (readonly [key: string, what: string])[]])[] = [
  [
    'Everywhere',
    [
      [`${CONTROL} Enter`, 'plan thoroughly'],
      ['Esc', 'stop the plan with the best so far'],
      [`${CONTROL} Z, ${CONTROL} Y`, 'undo and redo a change of the scenario'],
      ['?', 'this help'],
      ['g', 'gallery'],
      ['o', 'scenarios in this browser'],
      ['s', 'share'],
      ['e', 'export'],
      ['p', 'pin the plan, to compare'],
      ['b', 'hide or show the scenario'],
    ],
  ],
  ['Timeline, once in it with Tab', KEYS],
  ['Jobs', [['↑ ↓', 'on a handle: move the job']]],
  [
    'Editor',
    [
      ['Ctrl Space', 'what may stand here'],
      ['F8', 'next problem'],
      [`${CONTROL} F`, 'find'],
    ],
  ],
]

interface HelpProps {
  store: Store
  onTour: () => void
  onClose: () => void
}

export function HelpDialog({ store, onTour, onClose }: HelpProps) {
  const ready = store.ready.value
  return (
    <Dialog title="Help" wide onClose={onClose}>
      <p>{PICTURE}</p>
      <p>
        Each change of the scenario is planned at once: a quick plan first, then a thorough one. Everything
        happens in this page; nothing is sent anywhere.{' '}
        <button type="button" class="link" onClick={onTour}>
          Take the tour
        </button>
        : five steps with the first scenario of the gallery.
      </p>
      <div class="key-groups">
        {keys.map(([group, rows]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {rows.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    {key.split(', ').map(chord => (
                      <span key={chord}>
                        {chord.split(' ').map(one => (
                          <kbd key={one}>{one}</kbd>
                        ))}
                      </span>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="muted">
        {ready
          ? `JigSaw ${ready.version}, ${ready.engine_missing || `linear programs by ${ready.engine}`}.`
          : ''}{' '}
        <a href="./LICENCES.txt">Licences</a>
      </p>
    </Dialog>
  )
}
