// The stored scenarios, each with its history. Saving is automatic: each change is put after a
// short pause. Changes made by another tab in the meantime are never overwritten: the store
// keeps both versions, and this tab continues with the copy.
import { batch, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Scenario, ScenarioHead } from '../engine/api'
import type { Engine } from '../engine/client'

/** The open scenario. id '': not stored yet, like an unchanged example, link or file. */
export interface Open {
  id: string
  revision: number
  /** Text and view as stored, to detect changes. */
  text: string
  view: string
}

export interface Content {
  text: string
  view: string
}

export type Saving = 'none' | 'saved' | 'pending' | 'failed'

/** Pause after a change before it is put, in ms. */
export const saveAfter = 400
/** How often storage that does not answer is tried again, in ms. */
export const recheckAfter = 3000

/** A message from one tab to the others. */
interface Told {
  id: string
  revision: number
  removed?: boolean
}

export interface Channel {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent) => void) | null
}

export interface LibraryEvents {
  /** A message to the visitor. */
  tell: (message: string) => void
  /** Another tab changed the text of the scenario that is open here, and this tab did not. */
  adopt: (text: string) => void
}

export class Library {
  readonly heads = signal<ScenarioHead[]>([])
  readonly persistent = signal(true)
  /** Why nothing is kept after this visit. */
  readonly reason = signal('')
  private readonly openSignal = signal<Open>({ id: '', revision: 0, text: '', view: '' })
  private readonly savingSignal = signal<Saving>('none')
  private recheck: ReturnType<typeof setTimeout> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private putting: Promise<void> = Promise.resolve()
  private content: (() => Content) | null = null
  private firstID = ''
  /** The number of list requests so far, and the last one that was answered. */
  private asked = 0
  private listed = 0
  /** Generation of the open scenario: grows when another one is opened. */
  private generation = 0

  constructor(
    private readonly engine: Engine,
    private readonly channel: Channel,
    private readonly events: LibraryEvents,
    private readonly newID: () => string,
  ) {
    channel.onmessage = event => void this.hear(event.data)
  }

  get open(): ReadonlySignal<Open> {
    return this.openSignal
  }
  get saving(): ReadonlySignal<Saving> {
    return this.savingSignal
  }

  /** From now on stores what content returns; content must read signals. */
  watch(content: () => Content): void {
    this.content = content
    effect(() => {
      const { text, view } = content()
      const open = this.openSignal.value
      clearTimeout(this.timer)
      if (text === open.text && (view === open.view || open.id === '')) {
        if (this.savingSignal.peek() === 'pending') this.savingSignal.value = open.id ? 'saved' : 'none'
        return
      }
      this.savingSignal.value = 'pending'
      this.timer = setTimeout(() => void this.flush(), saveAfter)
    })
  }

  /** Opens a scenario that is not stored yet; it is stored from its first change on. */
  begin(text: string, view: string): void {
    this.firstID = ''
    this.generation++
    batch(() => {
      this.openSignal.value = { id: '', revision: 0, text, view }
      this.savingSignal.value = 'none'
    })
  }

  /** Records that a stored scenario is open now. */
  opened(scenario: Scenario): void {
    this.generation++
    batch(() => {
      this.openSignal.value = {
        id: scenario.id,
        revision: scenario.revision,
        text: scenario.text,
        view: scenario.view,
      }
      this.savingSignal.value = 'saved'
    })
  }

  /** Continues with the unsaved changes of a tab that was closed or crashed. */
  resume(open: Open): void {
    this.generation++
    this.openSignal.value = open
  }

  /** Lists the stored scenarios. An answer is ignored if a later request was answered first. */
  async refresh(): Promise<void> {
    const asked = ++this.asked
    const { persistent, reason, scenarios } = await this.engine.call('store_list', {})
    if (asked < this.listed) return
    this.listed = asked
    batch(() => {
      this.persistent.value = persistent
      this.reason.value = reason
      this.heads.value = [...scenarios].sort((a, b) => b.saved_ms - a.saved_ms)
    })
    clearTimeout(this.recheck)
    if (!persistent) this.recheck = setTimeout(() => void this.refresh().catch(() => {}), recheckAfter)
  }

  get(id: string): Promise<Scenario | null> {
    return this.engine.call('store_get', { id })
  }

  /** A stored scenario, however long storage takes; null if there is none. */
  async eventually(id: string): Promise<Scenario | null> {
    const scenario = await this.get(id)
    if (scenario) return scenario
    await this.refresh()
    // The answer may have come from memory.
    if (this.persistent.peek()) return null
    await new Promise<void>(resolve => {
      const stop = this.persistent.subscribe(persistent => {
        if (!persistent) return
        stop()
        resolve()
      })
    })
    return this.get(id)
  }

  history(id: string): Promise<Scenario[]> {
    return this.engine.call('store_history', { id })
  }

  async remove(id: string): Promise<void> {
    await this.engine.call('store_remove', { id })
    this.channel.postMessage({ id, revision: 0, removed: true } satisfies Told)
    // The open scenario stays on the page, as one that is not stored.
    if (this.openSignal.peek().id === id) {
      const { text, view } = this.openSignal.peek()
      this.begin(text, view)
    }
    await this.refresh()
  }

  /** Puts pending changes now, or the content even if it is unchanged. Opening another scenario meanwhile does not interfere. */
  flush(always = false): Promise<void> {
    clearTimeout(this.timer)
    const content = this.content?.()
    const open = this.openSignal.peek()
    if (!content) return this.putting
    const same = content.text === open.text && content.view === open.view
    // A change of the view alone is no reason to start storing a scenario.
    const idle = same || (content.text === open.text && open.id === '')
    if (idle && !(always && open.id === '')) return this.putting
    // The same id at each try: a put that failed may have arrived.
    const id = open.id || (this.firstID ||= this.newID())
    const { generation } = this
    this.putting = this.putting.then(() => this.put(content, id, open.revision, generation))
    return this.putting
  }

  private async put(content: Content, id: string, revision: number, generation: number): Promise<void> {
    const current = () => this.generation === generation
    // A put just before this one has raised it.
    const base = current() ? this.openSignal.peek().revision : revision
    try {
      const { scenario, conflict } = await this.engine.call('store_put', {
        id: (current() && this.openSignal.peek().id) || id,
        ...content,
        base,
        now_ms: Date.now(),
      })
      if (current()) {
        batch(() => {
          this.openSignal.value = {
            id: scenario.id,
            revision: scenario.revision,
            text: content.text,
            view: content.view,
          }
          this.savingSignal.value = 'saved'
        })
      }
      if (conflict)
        this.events.tell(
          `Another tab changed this scenario. Both are kept: yours continues here as “${scenario.name}”.`,
        )
      this.channel.postMessage({ id: scenario.id, revision: scenario.revision } satisfies Told)
      await this.refresh()
    } catch (error) {
      if (current()) this.savingSignal.value = 'failed'
      this.events.tell(
        `Not saved: ${error instanceof Error ? error.message : error}. The next change will try again.`,
      )
    }
  }

  private async hear(message: unknown): Promise<void> {
    if (typeof message !== 'object' || message === null) return
    const { id, revision, removed } = message as Partial<Told>
    await this.refresh()
    const open = this.openSignal.peek()
    if (id !== open.id || open.id === '' || removed || revision === undefined || revision <= open.revision)
      return
    // If this tab has changes of its own, its next put makes a copy.
    if (this.savingSignal.peek() !== 'saved') return
    const scenario = await this.get(open.id)
    if (scenario && this.openSignal.peek() === open && this.savingSignal.peek() === 'saved') {
      batch(() => {
        // Each tab keeps its view, and never puts only a view: the tabs would follow each other endlessly.
        this.opened({ ...scenario, view: this.content?.().view ?? scenario.view })
        this.events.adopt(scenario.text)
      })
      this.events.tell('Another tab changed this scenario: this tab now shows the change.')
    }
  }
}
