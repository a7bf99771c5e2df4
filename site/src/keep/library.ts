// Scenarios that are kept, each with its history. Saving is by itself: each change is put
// after a moment's rest. What another tab changed in the meantime is never overwritten: the
// store keeps both, and this tab goes on with the copy.
import { batch, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Scenario, ScenarioHead } from '../engine/api'
import type { Engine } from '../engine/client'

/** What is open. id '' is not yet kept: an example, a link, a file without a change. */
export interface Open {
  id: string
  revision: number
  /** Text and view as kept, by which changes are known. */
  text: string
  view: string
}

export interface Content {
  text: string
  view: string
}

export type Saving = 'none' | 'saved' | 'pending' | 'failed'

/** Rest after a change before it is put, in ms. */
export const saveAfter = 400
/** How often storage that does not answer is asked for, in ms. */
export const recheckAfter = 3000

/** What one tab tells the others. */
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
  /** Something to tell the visitor. */
  tell: (message: string) => void
  /** Another tab changed the text of what is open here, and nothing was changed here. */
  adopt: (text: string) => void
}

export class Library {
  readonly heads = signal<ScenarioHead[]>([])
  readonly persistent = signal(true)
  /** Why nothing is kept beyond this visit. */
  readonly reason = signal('')
  private readonly openSignal = signal<Open>({ id: '', revision: 0, text: '', view: '' })
  private readonly savingSignal = signal<Saving>('none')
  private recheck: ReturnType<typeof setTimeout> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private putting: Promise<void> = Promise.resolve()
  private content: (() => Content) | null = null
  private firstID = ''
  /** Lists asked for so far, and the last of them that was answered. */
  private asked = 0
  private listed = 0
  /** Of what is open: grows when something else is. */
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

  /** Keeps what content returns from now on; content must read signals. */
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

  /** Something that is not kept yet begins; it is kept from its first change. */
  begin(text: string, view: string): void {
    this.firstID = ''
    this.generation++
    batch(() => {
      this.openSignal.value = { id: '', revision: 0, text, view }
      this.savingSignal.value = 'none'
    })
  }

  /** A kept scenario is open now. */
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

  /** Goes on with what a tab that was closed or crashed had not kept yet. */
  resume(open: Open): void {
    this.generation++
    this.openSignal.value = open
  }

  /** Lists what is kept. An answer that a later question's overtook says nothing any more. */
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

  /** A kept scenario, however long storage takes; null where there is none. */
  async eventually(id: string): Promise<Scenario | null> {
    const scenario = await this.get(id)
    if (scenario) return scenario
    await this.refresh()
    // What answered may have been memory.
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
    // What is open stays on the page, as something that is not kept.
    if (this.openSignal.peek().id === id) {
      const { text, view } = this.openSignal.peek()
      this.begin(text, view)
    }
    await this.refresh()
  }

  /** Puts now what waits, or the content though it has no change. What is opened meanwhile does not disturb it. */
  flush(always = false): Promise<void> {
    clearTimeout(this.timer)
    const content = this.content?.()
    const open = this.openSignal.peek()
    if (!content) return this.putting
    const same = content.text === open.text && content.view === open.view
    // A view alone is no reason to begin keeping a scenario.
    const idle = same || (content.text === open.text && open.id === '')
    if (idle && !(always && open.id === '')) return this.putting
    // The same at each try: a put that failed may have arrived.
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
          `Another tab changed this scenario. Both are kept: yours goes on here as “${scenario.name}”.`,
        )
      this.channel.postMessage({ id: scenario.id, revision: scenario.revision } satisfies Told)
      await this.refresh()
    } catch (error) {
      if (current()) this.savingSignal.value = 'failed'
      this.events.tell(
        `Not saved: ${error instanceof Error ? error.message : error}. The next change tries again.`,
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
    // With changes of its own this tab will make a copy at its next put.
    if (this.savingSignal.peek() !== 'saved') return
    const scenario = await this.get(open.id)
    if (scenario && this.openSignal.peek() === open && this.savingSignal.peek() === 'saved') {
      batch(() => {
        // Each tab keeps its view, and puts none for that alone: the other would follow in turn, without end.
        this.opened({ ...scenario, view: this.content?.().view ?? scenario.view })
        this.events.adopt(scenario.text)
      })
      this.events.tell('Another tab changed this scenario: this one follows.')
    }
  }
}
