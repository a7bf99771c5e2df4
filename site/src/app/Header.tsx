import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { pickFile } from '../keep/files'
import type { Session } from '../state/session'
import type { Store } from '../state/store'
import { theme, toggleTheme } from '../state/theme'
import { CONTROL } from '../ui/control'
import { Icon, type IconName } from '../ui/icons'
import type { DialogName } from './App'
import { open as openFile } from './drop'
import { Settings } from './Settings'
import { useDismiss } from './useDismiss'

const savingWords = { none: '', saved: 'saved', pending: 'saving…', failed: 'not saved' } as const

type Open = (dialog: DialogName) => void

export function Header({ session, open }: { session: Session; open: Open }) {
  const { store, library } = session
  const more = useSignal(false)
  const moreButton = useRef<HTMLButtonElement>(null)
  useDismiss(more, '.extras, .more', moreButton)
  const saving = library.saving.value
  return (
    <header class="bar">
      <h1 class="brand">
        <img src="./favicon.svg" alt="" width="20" height="20" /> JigSaw
      </h1>
      <Menu session={session} open={open} />
      <span class={`saving muted${saving === 'failed' ? ' alarm' : ''}`}>
        {saving !== 'none' && !library.persistent.value ? 'kept for this visit only' : savingWords[saving]}
      </span>
      <div class="spring" />
      <PlanButton store={store} />
      <button
        ref={moreButton}
        type="button"
        class="button quiet icon more"
        aria-label="More"
        aria-expanded={more.value}
        onClick={() => (more.value = !more.value)}
      >
        <Icon name="more" />
      </button>
      {/* Part of the row where there is room for it. */}
      <div class={more.value ? 'extras open' : 'extras'}>
        <Extras
          store={store}
          onHelp={() => {
            more.value = false
            open('help')
          }}
        />
      </div>
    </header>
  )
}

function Menu({ session, open }: { session: Session; open: Open }) {
  const button = (icon: IconName, label: string, onClick: () => void, title = label) => (
    <button type="button" class="button quiet" title={title} onClick={onClick}>
      <Icon name={icon} />
      <span class="label">{label}</span>
    </button>
  )
  const importFile = async () => {
    const file = await pickFile()
    if (file) await openFile(session, file)
  }
  return (
    <nav class="menu" aria-label="Scenario">
      {button('grid', 'Gallery', () => open('gallery'), 'Gallery (g)')}
      {button('folder', 'Scenarios', () => open('library'), 'Scenarios in this browser (o)')}
      {button(
        'upload',
        'Import',
        () => void importFile(),
        'Open a scenario, or profiles for this one (YAML or JSON), or drop the file anywhere',
      )}
      {button('download', 'Export', () => open('export'), 'Export (e)')}
      {button('share', 'Share', () => open('share'), 'Share (s)')}
    </nav>
  )
}

/** Plans thoroughly or, while that goes on, stops. */
function PlanButton({ store }: { store: Store }) {
  const phase = store.planning.phase.value
  const busy = phase === 'quick' || phase === 'full' || store.special.busy.value
  return busy ? (
    <button type="button" class="button primary act" title="Stop (Esc)" onClick={() => store.stop()}>
      <Icon name="stop" /> Stop
    </button>
  ) : (
    <button
      type="button"
      class="button primary act"
      title={`Plan thoroughly (${CONTROL}+Enter)`}
      onClick={() => void store.plan()}
    >
      <Icon name="play" /> Plan
    </button>
  )
}

/** How to plan, how the page looks, and help. */
function Extras({ store, onHelp }: { store: Store; onHelp: () => void }) {
  return (
    <>
      <Settings store={store} />
      <button
        type="button"
        class="button quiet icon beside"
        onClick={() => (store.aside.value = !store.aside.value)}
        aria-label="Scenario beside the plan"
        aria-expanded={store.aside.value}
        aria-controls="scenario"
        title="Hide or show the scenario (b)"
      >
        <Icon name="aside" />
      </button>
      <button
        type="button"
        class="button quiet icon"
        onClick={toggleTheme}
        aria-label="Dark theme"
        aria-pressed={theme.value === 'dark'}
        title="Light or dark"
      >
        <Icon name={theme.value === 'dark' ? 'moon' : 'sun'} />
      </button>
      <button type="button" class="button quiet icon" aria-label="Help" title="Help (?)" onClick={onHelp}>
        <Icon name="help" />
      </button>
    </>
  )
}
