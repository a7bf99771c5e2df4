import type { ComponentChildren } from 'preact'
import type { Store } from '../state/store'
import { KEYS } from '../timeline/keys'
import { CONTROL } from '../ui/control'
import { Dialog } from '../ui/Dialog'
import { PICTURE } from './Welcome'

/** On touch screens the keys are folded away. */
const touch = window.matchMedia('(pointer: coarse)').matches

type Rows = readonly (readonly [how: string, what: string])[]

const pointer: Rows = [
  [touch ? 'Tap a bar' : 'Click a bar', 'show what it is, and why it starts when it does'],
  [touch ? 'Tap a name' : 'Click a name', 'of a GPU or link: make it fail, or change its speed'],
  ['Drag', 'move earlier or later'],
  [touch ? 'Two fingers' : `${CONTROL} and wheel`, 'zoom'],
  ...(touch ? [] : [['Double-click', 'zoom to an iteration; outside the bars: show everything'] as const]),
]

const keys: readonly (readonly [group: string, rows: Rows])[] = [
  [
    'Everywhere',
    [
      [`${CONTROL} Enter`, 'plan thoroughly'],
      ['Esc', 'stop planning and keep the best plan so far'],
      [`${CONTROL} Z, ${CONTROL} Y`, 'undo and redo a change of the scenario'],
      ['?', 'this help'],
      ['g', 'gallery'],
      ['o', 'scenarios in this browser'],
      ['s', 'share'],
      ['e', 'export'],
      ['p', 'pin the plan for comparison'],
      ['b', 'hide or show the scenario'],
    ],
  ],
  ['Timeline, after Tab has moved the focus there', KEYS],
  ['Jobs', [['↑ ↓', 'on a handle: move the job']]],
  [
    'Editor',
    [
      ['Ctrl Space', 'suggest what can go here'],
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
        Each change to the scenario is planned at once: first a quick plan, then a thorough one. Everything
        runs in this page; nothing is sent anywhere.{' '}
        <button type="button" class="link" onClick={onTour}>
          Take the tour
        </button>
        : five steps with the first scenario of the gallery.
      </p>
      <div class="key-groups">
        <Group name="Timeline" rows={pointer} word={how => how} />
        {!touch && <Keys />}
      </div>
      {touch && (
        <details>
          <summary>With a keyboard</summary>
          <div class="key-groups">
            <Keys />
          </div>
        </details>
      )}
      <p class="muted">
        {ready
          ? `JigSaw ${ready.version}, ${ready.engine_missing || `linear programs by ${ready.engine}`}.`
          : ''}{' '}
        <a href="./LICENCES.txt">Licences</a>
      </p>
    </Dialog>
  )
}

function Keys() {
  return (
    <>
      {keys.map(([name, rows]) => (
        <Group key={name} name={name} rows={rows} word={key => key.split(', ').map(chord)} />
      ))}
    </>
  )
}

const chord = (keys: string) => (
  <span key={keys}>
    {keys.split(' ').map(one => (
      <kbd key={one}>{one}</kbd>
    ))}
  </span>
)

interface GroupProps {
  name: string
  rows: Rows
  word(how: string): ComponentChildren
}

function Group({ name, rows, word }: GroupProps) {
  return (
    <section>
      <h3>{name}</h3>
      <dl class="keys">
        {rows.map(([how, what]) => (
          <div key={how}>
            <dt>{word(how)}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
