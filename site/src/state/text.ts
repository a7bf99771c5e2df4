// The scenario's text with its undo history, shared by the forms and the editor.
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { type Change, change } from './change'

/** Adjacent changes within this time, in ms, are one step, like the letters of a word or the positions of a slider. */
const pause = 500
/** A step of the history. */
interface Step {
  back: Change
  forth: Change
}

const apply = (text: string, { from, to, insert }: Change) => text.slice(0, from) + insert + text.slice(to)

/** An editor that shows the text and reports what is typed there; see `typed`. */
export interface TextEditor {
  /** Called when the text was changed elsewhere. */
  replace(change: Change): void
  /** Puts the cursor there, scrolls it into sight and takes the focus. */
  goTo(at: number): void
}

export class ScenarioText {
  private readonly value = signal('')
  private readonly depths = signal({ undo: 0, redo: 0 })
  private steps: Step[] = []
  /** How many steps are done; the others were undone. */
  private done = 0
  /** Place and time of the last change, and the text before its step, to which more may be added. */
  private last: { from: number; to: number; time: number; before: string } | null = null
  private editor: TextEditor | null = null
  /** Where the cursor will be once an editor is shown. */
  private wanted: number | null = null

  constructor(text: string) {
    this.open(text)
  }

  get text(): ReadonlySignal<string> {
    return this.value
  }

  get undoable(): ReadonlySignal<{ undo: number; redo: number }> {
    return this.depths
  }

  /** Replaces the text. alone: as a step of its own, whatever came before it. */
  edit(text: string, alone = false): void {
    this.step(lines(text), alone)
  }

  /** Takes over the text from the editor. alone: it was not changed by typing. */
  typed(text: string, alone: boolean): void {
    this.step(text, alone, false)
  }

  /** Opens another scenario: its history begins here. */
  open(text: string): void {
    this.steps = []
    this.done = 0
    this.last = null
    this.wanted = null
    this.show(lines(text))
  }

  undo(): void {
    const step = this.steps[this.done - 1]
    if (!step) return
    this.done--
    this.last = null
    this.show(apply(this.value.peek(), step.back))
  }

  redo(): void {
    const step = this.steps[this.done]
    if (!step) return
    this.done++
    this.last = null
    this.show(apply(this.value.peek(), step.forth))
  }

  /** Puts the cursor at a place, counted from 1, in the editor that is or will be shown. */
  goTo(line: number, column: number): void {
    const rows = this.value.peek().split('\n')
    const row = Math.min(Math.max(line, 1), rows.length) - 1
    const start = rows.slice(0, row).reduce((sum, { length }) => sum + length + 1, 0)
    const at = start + Math.min(Math.max(column, 1) - 1, rows[row]!.length)
    if (this.editor) this.editor.goTo(at)
    else this.wanted = at
  }

  /** Attaches an editor until the returned function is called. */
  attach(editor: TextEditor): () => void {
    this.editor = editor
    if (this.wanted !== null) editor.goTo(this.wanted)
    this.wanted = null
    return () => {
      this.editor = null
    }
  }

  private step(after: string, alone: boolean, elsewhere = true): void {
    const now = this.value.peek()
    const differs = change(now, after)
    if (!differs) return
    const { from, to, insert } = differs
    const time = performance.now()
    const { last } = this
    const grows = last && !alone && time - last.time < pause && from <= last.to && to >= last.from
    // Undone steps are dropped.
    this.steps.length = this.done
    if (grows) this.steps.pop()
    const before = grows ? last.before : now
    const [forth, back] = [change(before, after), change(after, before)]
    if (forth && back) this.steps.push({ forth, back })
    this.done = this.steps.length
    // Text that was typed and removed again is not a step, and no step extends it.
    this.last = forth && { from, to: from + insert.length, time, before }
    this.show(after, elsewhere)
  }

  private show(text: string, elsewhere = true): void {
    const differs = change(this.value.peek(), text)
    batch(() => {
      this.value.value = text
      const depths = { undo: this.done, redo: this.steps.length - this.done }
      if (depths.undo !== this.depths.peek().undo || depths.redo !== this.depths.peek().redo)
        this.depths.value = depths
    })
    if (elsewhere && differs) this.editor?.replace(differs)
  }
}

/** Lines end as in the editor. */
const lines = (text: string) => text.replace(/\r\n?/g, '\n')
