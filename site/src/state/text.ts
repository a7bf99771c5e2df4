// The scenario's text with its undo history. It lives in a CodeMirror state, which exists
// without an editor on the page, so that forms and editor share one history.
import { history, redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import {
  Compartment,
  EditorState,
  type Extension,
  type StateCommand,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { change } from './change'

export class ScenarioText {
  private readonly value = signal('')
  private readonly depths = signal({ undo: 0, redo: 0 })
  private readonly dressing = new Compartment()
  private state: EditorState
  private view: EditorView | null = null

  constructor(text: string) {
    this.state = this.fresh(text)
    this.value.value = text
  }

  get text(): ReadonlySignal<string> {
    return this.value
  }

  get undoable(): ReadonlySignal<{ undo: number; redo: number }> {
    return this.depths
  }

  /** Replaces the text as one step that can be undone; only what differs is touched. */
  edit(text: string, origin = 'input.type.form'): void {
    const differs = change(this.value.peek(), text)
    if (differs)
      this.dispatch({
        changes: differs,
        annotations: Transaction.userEvent.of(origin),
        scrollIntoView: false,
      })
  }

  /** Another scenario: its history begins here. */
  open(text: string): void {
    this.state = this.fresh(text)
    this.view?.setState(this.dressed(this.state))
    this.sync(this.view?.state ?? this.state)
  }

  undo(): void {
    this.run(undo)
  }

  redo(): void {
    this.run(redo)
  }

  /** Puts the cursor at a place, counted from 1, in the editor that shows or that will. */
  goTo(line: number, column: number): void {
    const state = this.view?.state ?? this.state
    const at = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines))
    const anchor = Math.min(at.from + Math.max(column, 1) - 1, at.to)
    this.dispatch({ selection: { anchor }, scrollIntoView: true })
    if (this.view) this.view.focus()
    else this.focusOnMount = true
  }

  /**
   * Shows the text in an editor with these extensions until the returned function is called.
   * The late ones come in a task of their own, so that neither is long.
   */
  mount(
    parent: HTMLElement | ShadowRoot,
    extensions: Extension,
    late: Extension,
  ): { view: EditorView; unmount: () => void } {
    this.extensions = extensions
    const view = new EditorView({
      parent,
      ...(parent instanceof ShadowRoot && { root: parent }),
      state: this.dressed(this.state),
      dispatchTransactions: (transactions, target) => {
        target.update(transactions)
        this.sync(target.state)
      },
    })
    this.view = view
    if (this.focusOnMount) {
      this.focusOnMount = false
      view.dispatch({ scrollIntoView: true })
      view.focus()
    }
    const timer = setTimeout(() => {
      this.extensions = [extensions, late]
      view.dispatch({ effects: this.dressing.reconfigure(this.extensions) })
    })
    return {
      view,
      unmount: () => {
        clearTimeout(timer)
        this.state = view.state.update({ effects: this.dressing.reconfigure([]) }).state
        this.view = null
        view.destroy()
      },
    }
  }

  private extensions: Extension = []
  private focusOnMount = false

  private fresh(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: [history(), this.dressing.of([])] })
  }

  private dressed(state: EditorState): EditorState {
    return state.update({ effects: this.dressing.reconfigure(this.extensions) }).state
  }

  private dispatch(spec: TransactionSpec): void {
    if (this.view) this.view.dispatch(spec)
    else this.sync(this.state.update(spec).state)
  }

  private run(command: StateCommand): void {
    command({
      state: this.view?.state ?? this.state,
      dispatch: transaction => {
        if (this.view) this.view.dispatch(transaction)
        else this.sync(transaction.state)
      },
    })
  }

  private sync(state: EditorState): void {
    this.state = state
    batch(() => {
      this.value.value = state.doc.toString()
      const depths = { undo: undoDepth(state), redo: redoDepth(state) }
      if (depths.undo !== this.depths.peek().undo || depths.redo !== this.depths.peek().redo)
        this.depths.value = depths
    })
  }
}
