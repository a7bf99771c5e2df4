// The open scenario and where it came from: the gallery, a file, a link, the library.
// Whatever is opened never replaces a stored scenario: if it is stored, then as a new one.
import { batch, effect } from '@preact/signals'
import type { Scenario } from '../engine/api'
import { keepDraft, readDraft } from '../keep/draft'
import { type Channel, Library, type Open } from '../keep/library'
import { decodeLink, encodeLink, isLink, LinkError } from '../keep/link'
import { read, write } from '../keep/local'
import { blank, type Compared, type Snapshot, snapshotOf } from '../keep/snapshot'
import { hasPlan } from '../views/shown'
import type { Store } from './store'

const lastKey = 'jigsaw.last'
const welcomedKey = 'jigsaw.welcomed'
const asideKey = 'jigsaw.aside'
/** How long storage may take, in ms, before something else is shown. */
const storageAfter = 500

export class Session {
  readonly library: Library
  /** The version of the core, once it is known. */
  private readonly version: Promise<string>

  constructor(
    readonly store: Store,
    channel: Channel,
    private readonly first: string,
  ) {
    this.library = new Library(
      store.engine,
      channel,
      {
        tell: message => {
          store.status.value = message
        },
        adopt: text => store.text.edit(text, true),
      },
      newID,
    )
    store.aside.value = read(asideKey) !== 'hidden'
    store.aside.subscribe(shows => write(asideKey, shows ? null : 'hidden'))
    this.version = new Promise(resolve => {
      store.ready.subscribe(ready => ready && resolve(ready.version))
    })
  }

  /** Opens the link in the address, else the unsaved changes of this tab, else what was open last. */
  async start(): Promise<void> {
    const { store, library } = this
    const draft = readDraft()
    const last = read(lastKey)
    store.welcome.value = !draft && last === null && read(welcomedKey) === null
    library.watch(() => ({
      text: store.text.text.value,
      view: JSON.stringify(this.view()),
    }))
    if (draft) {
      this.restore(snapshotOf({ ...viewOf(draft.view), text: draft.text }) ?? { ...blank, text: draft.text })
      library.resume(draft.open)
    }
    // The draft is stored first.
    if (isLink(location.hash) && (await this.openLink(location.hash))) {
      if (last) void this.rejoin(last)
    } else if (!draft) {
      if (last) await this.openLast(last)
      else this.begin({ ...blank, text: this.first })
    }
    void library.refresh().catch(() => {})
    effect(() => {
      const pending = library.saving.value === 'pending' || library.saving.value === 'failed'
      const open = library.open.value
      if (open.id) write(lastKey, open.id)
      // A reload must not bring back the original content of the link.
      if (pending) clearAddress()
      const text = store.text.text.value
      const kept = library.persistent.value
      if (pending || (!kept && open.id))
        keepDraft({ open: kept ? open : unkept, text, view: JSON.stringify(this.view()) })
      // A scenario that was opened but not changed is not stored, but a reload shows it again.
      else keepDraft(!open.id && text !== this.first ? { open, text, view: open.view } : null)
    })
    // The browser's Back button returns from a link to what was open before it.
    let before: { id: string; snapshot: Snapshot } | null = null
    window.addEventListener('hashchange', ({ oldURL }) => {
      const fromLink = isLink(new URL(oldURL).hash)
      if (isLink(location.hash)) {
        if (!fromLink) before = { id: library.open.peek().id, snapshot: this.snapshot() }
        void this.openLink(location.hash)
      } else if (fromLink && before) {
        const { id, snapshot } = before
        if (id) void this.open(id)
        else this.openNew(snapshot)
      }
    })
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') void library.flush()
    })
    window.addEventListener('beforeunload', event => {
      if (!['pending', 'failed'].includes(library.saving.peek())) return
      void library.flush()
      event.preventDefault()
    })
  }

  /** Opens what was open last time. If storage is slow, the first scenario is shown until it answers. */
  private async openLast(id: string): Promise<void> {
    const { store, library } = this
    const last = library.eventually(id).catch(() => null)
    // Nothing can be read before the engine is there, and without it nothing shows anyway.
    const slow = this.version.then(
      () => new Promise<null>(resolve => setTimeout(() => resolve(null), storageAfter)),
    )
    const scenario = await Promise.race([last, slow])
    if (scenario) return this.show(scenario)
    this.begin({ ...blank, text: this.first })
    void last.then(late => {
      if (!late) return
      const untouched = library.open.peek().id === '' && store.text.text.peek() === this.first
      if (untouched) this.show(late)
      else
        store.status.value = `“${late.name}”, which was open last time, could be read only now: see Scenarios.`
    })
  }

  /** A link to what was open last, as after sharing it, continues with that instead of making a copy. */
  private async rejoin(id: string): Promise<void> {
    const { store, library } = this
    const last = await library.get(id).catch(() => null)
    if (last && library.open.peek().id === '' && last.text === store.text.text.peek())
      library.opened({ ...last, view: JSON.stringify(this.view()) })
  }

  /** The newcomer has closed the introduction, for all visits. */
  welcomed(): void {
    this.store.welcome.value = false
    write(welcomedKey, 'yes')
  }

  /** Opens a text without a history: from the gallery, a file, or nowhere. */
  openNew(of: string | Snapshot): void {
    void this.library.flush()
    this.leave()
    this.begin(typeof of === 'string' ? { ...blank, text: of } : of)
  }

  async open(id: string): Promise<void> {
    await this.library.flush()
    const scenario = await this.library.get(id)
    if (!scenario) {
      this.store.status.value = 'This scenario is no longer stored.'
      await this.library.refresh()
      return
    }
    // Changes made meanwhile.
    void this.library.flush()
    this.leave()
    this.show(scenario)
  }

  /** Reports an invalid link, and returns whether it was valid. */
  async openLink(fragment: string): Promise<boolean> {
    try {
      const { snapshot, planner } = await decodeLink(fragment)
      void this.library.flush()
      this.store.alert.value = ''
      this.begin(snapshot)
      void this.version.then(own => {
        if (planner && planner !== own)
          this.store.status.value = `The link was made with JigSaw ${planner}; this is ${own}: the plan may differ.`
      })
      return true
    } catch (error) {
      const why = error instanceof LinkError ? error.message : 'it could not be read'
      this.store.alert.value = `The share link does not work: ${why}. Nothing was changed.`
      return false
    }
  }

  /** The link to what is shown, which is put into the address bar as well. */
  async share(): Promise<string> {
    const fragment = await encodeLink(this.snapshot(), this.store.ready.peek()?.version ?? '')
    history.replaceState(null, '', fragment)
    return location.href
  }

  snapshot(): Snapshot {
    return { text: this.store.text.text.peek(), ...this.view() }
  }

  /** Restores a revision of the history; this can be undone. */
  bringBack(scenario: Scenario): void {
    this.store.text.edit(scenario.text, true)
    this.store.status.value = 'Restored; undo reverts it.'
  }

  /** What is stored besides the text. */
  private view(): Omit<Snapshot, 'text'> {
    const { seed, effort, selection, range, pinned, pinning, spb, tab, scenarioMode } = this.store
    return {
      seed: seed.value,
      effort: effort.value,
      selection: selection.value,
      range: range.value,
      compared: pinned.value?.of ?? pinning.value,
      spb: spb.value,
      tab: tab.value,
      mode: scenarioMode.value,
    }
  }

  private show(scenario: Scenario): void {
    batch(() => {
      const view = snapshotOf({ ...viewOf(scenario.view), text: scenario.text })
      this.restore(view ?? { ...blank, text: scenario.text })
      // What the view leaves unset has not changed.
      this.library.opened({ ...scenario, view: JSON.stringify(this.view()) })
    })
  }

  /** Opens something that is not stored; synchronously, or it would count as a change of what is open. */
  private begin(snapshot: Snapshot): void {
    batch(() => {
      this.restore(snapshot)
      this.library.begin(snapshot.text, JSON.stringify(this.view()))
    })
  }

  private restore(snapshot: Snapshot): void {
    this.store.open(snapshot)
    if (snapshot.compared) void this.compare(snapshot.compared)
  }

  /** Makes the plan that is compared with anew, where it is not known: plans are the same each time. */
  private async compare(of: Compared): Promise<void> {
    const { engine, planning, pinned, pinning, status } = this.store
    const run = new AbortController()
    // Something else was opened or pinned meanwhile.
    const stop = pinning.subscribe(now => now !== of && run.abort())
    try {
      const { instance } = await engine.call('compile', { text: of.text })
      const view = instance && (await planning.beside(of.text, instance, run.signal, of))
      if (run.signal.aborted) return
      if (view?.result && hasPlan(view.result))
        pinned.value = { of, instance: view.instance, result: view.result }
      else status.value = 'There is no plan to compare with.'
    } catch {
      if (!run.signal.aborted) status.value = 'The plan to compare with could not be computed.'
    } finally {
      stop()
      if (!run.signal.aborted) pinning.value = null
    }
  }

  /** Leaves the open scenario for another one. */
  private leave(): void {
    this.store.alert.value = ''
    clearAddress()
  }
}

/** The address must not show a link to something that is no longer open. */
function clearAddress(): void {
  if (isLink(location.hash)) history.replaceState(null, '', location.pathname + location.search)
}

/** crypto.randomUUID is missing if the page is served by plain http. */
const newID = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

/** If nothing survives a reload, neither do ids. */
const unkept: Open = { id: '', revision: 0, text: '', view: '' }

function viewOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
