// What is open on the page and where it came from: the gallery, a file, a link, the library.
// Whatever comes in replaces nothing that is kept: it is kept, if at all, as its own.
import { effect } from '@preact/signals'
import type { Scenario } from '../engine/api'
import { keepDraft, readDraft } from '../keep/draft'
import { type Channel, Library, type Open } from '../keep/library'
import { decodeLink, encodeLink, isLink, LinkError } from '../keep/link'
import { type Compared, type Snapshot, snapshotOf } from '../keep/snapshot'
import type { Store } from './store'

const lastKey = 'jigsaw.last'
const welcomedKey = 'jigsaw.welcomed'
/** What storage takes at most, in ms, before something else shows. */
const storageAfter = 500

export class Session {
  readonly library: Library
  private lastLink = ''

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
        adopt: text => store.text.edit(text, 'input.other-tab'),
      },
      () => crypto.randomUUID(),
    )
  }

  /** Opens what the address says, else what this tab had not kept yet, else what was open last. */
  async start(): Promise<void> {
    const { store, library } = this
    const draft = readDraft()
    store.welcome.value = !draft && read(lastKey) === null && read(welcomedKey) === null
    if (isLink(location.hash) && (await this.openLink(location.hash))) {
      // The link is open.
    } else if (draft) {
      this.restore(snapshotOf({ ...viewOf(draft.view), text: draft.text }) ?? { ...blank, text: draft.text })
      library.resume(draft.open)
    } else {
      const id = read(lastKey)
      if (id) await this.openLast(id)
      else this.openNew(this.first)
    }
    library.watch(() => ({
      text: store.text.text.value,
      view: JSON.stringify(this.view()),
    }))
    void library.refresh().catch(() => {})
    effect(() => {
      const pending = library.saving.value === 'pending' || library.saving.value === 'failed'
      const open = library.open.value
      if (open.id) write(lastKey, open.id)
      keepDraft(
        pending || (!library.persistent.value && open.id)
          ? {
              open: library.persistent.value ? open : unkept,
              text: store.text.text.value,
              view: JSON.stringify(this.view()),
            }
          : null,
      )
    })
    window.addEventListener('hashchange', () => {
      if (isLink(location.hash) && location.hash !== this.lastLink) void this.openLink(location.hash)
    })
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') void library.flush()
    })
    window.addEventListener('beforeunload', event => {
      if (library.saving.peek() !== 'pending') return
      void library.flush()
      event.preventDefault()
    })
  }

  /** Opens what was open last time. Where storage is slow the first scenario shows until it answers. */
  private async openLast(id: string): Promise<void> {
    const { store, library } = this
    const last = library.eventually(id).catch(() => null)
    // Nothing can be read before the engine is there, and without it nothing shows anyway.
    const slow = new Promise<null>(resolve => {
      store.ready.subscribe(ready => {
        if (ready) setTimeout(() => resolve(null), storageAfter)
      })
    })
    const scenario = await Promise.race([last, slow])
    if (scenario) return this.show(scenario)
    this.openNew(this.first)
    void last.then(late => {
      if (!late) return
      const untouched = library.open.peek().id === '' && store.text.text.peek() === this.first
      if (untouched) this.show(late)
      else store.status.value = `“${late.name}”, open last time, could be read only now: see Scenarios.`
    })
  }

  /** The newcomer has read enough, for all visits. */
  welcomed(): void {
    this.store.welcome.value = false
    write(welcomedKey, 'yes')
  }

  /** A text without a past: from the gallery, a file, or nowhere. */
  openNew(text: string): void {
    void this.library.flush()
    this.leave()
    this.restore({ ...blank, text })
    this.library.begin(text, JSON.stringify(this.view()))
  }

  async open(id: string): Promise<void> {
    await this.library.flush()
    const scenario = await this.library.get(id)
    if (!scenario) {
      this.store.status.value = 'This scenario is no longer kept.'
      await this.library.refresh()
      return
    }
    this.leave()
    this.show(scenario)
  }

  /** Tells where it is no good, and returns whether it was. */
  async openLink(fragment: string): Promise<boolean> {
    this.lastLink = fragment
    try {
      const { snapshot, planner } = await decodeLink(fragment)
      void this.library.flush()
      this.leave(false)
      this.restore(snapshot)
      this.library.begin(snapshot.text, JSON.stringify(this.view()))
      const own = this.store.ready.peek()?.version
      if (planner && own && planner !== own)
        this.store.status.value = `The link was made with JigSaw ${planner}; this is ${own}: the plan may differ.`
      return true
    } catch (error) {
      const why = error instanceof LinkError ? error.message : 'it could not be read'
      this.store.alert.value = `The share link does not work: ${why}. Nothing was changed.`
      return false
    }
  }

  /** The link to what shows, which the address bar shows as well. */
  async share(): Promise<string> {
    const fragment = await encodeLink(this.snapshot(), this.store.ready.peek()?.version ?? '')
    this.lastLink = fragment
    history.replaceState(null, '', fragment)
    return location.href
  }

  snapshot(): Snapshot {
    return { text: this.store.text.text.peek(), ...this.view() }
  }

  /** Goes back to a revision of the history; undo returns. */
  bringBack(scenario: Scenario): void {
    this.store.text.edit(scenario.text, 'input.restore')
    this.store.status.value = 'Restored; undo takes it back.'
  }

  /** What is kept beside the text. */
  private view(): Omit<Snapshot, 'text'> {
    const { seed, effort, selection, range, pinned } = this.store
    return {
      seed: seed.value,
      effort: effort.value,
      selection: selection.value,
      range: range.value,
      compared: pinned.value?.of ?? null,
    }
  }

  private show(scenario: Scenario): void {
    this.library.opened(scenario)
    const view = snapshotOf({ ...viewOf(scenario.view), text: scenario.text })
    this.restore(view ?? { ...blank, text: scenario.text })
  }

  private restore(snapshot: Snapshot): void {
    this.store.open(snapshot)
    if (snapshot.compared) void this.compare(snapshot.compared)
  }

  /** Makes the plan that is compared with anew: plans are the same each time. */
  private async compare(of: Compared): Promise<void> {
    const { engine, pinned, pinning, tab } = this.store
    tab.value = 'compare'
    pinning.value = true
    try {
      const { instance } = await engine.call('compile', { text: of.text })
      if (!instance) return
      const { text, seed, effort } = of
      const result = await engine.call('plan', { text, seed, effort })
      if (result.schedule) pinned.value = { of, instance, result }
    } catch {
      this.store.status.value = 'The plan to compare with could not be made.'
    } finally {
      pinning.value = false
    }
  }

  /** The address must not say what is no longer there. */
  private leave(clearAddress = true): void {
    this.store.alert.value = ''
    if (clearAddress && isLink(location.hash))
      history.replaceState(null, '', location.pathname + location.search)
  }
}

/** Where nothing outlives a reload, ids do not either. */
const unkept: Open = { id: '', revision: 0, text: '', view: '' }

const blank: Snapshot = { text: '', seed: 0, effort: 1, selection: null, range: null, compared: null }

function viewOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Then the next visit begins with the first scenario.
  }
}
