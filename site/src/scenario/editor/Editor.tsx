// The scenario as text. The editor is in a shadow root: there CodeMirror adopts its style
// sheets; in the page itself it would need inline styles, which the page forbids.
import { setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension, type Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { effect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Store } from '../../state/store'
import type { ScenarioText } from '../../state/text'
import { extensions, history, language } from './extensions'
import { diagnostics } from './lint'
import type { Schema } from './schema'

export default function Editor({ store }: { store: Store }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const options = {
      schema: () => store.schema.peek() as Schema | null,
      names: () => ({
        models: [...new Set(store.profiles.peek().map(profile => profile.model))],
        gpuTypes: store.sound.peek()?.instance.types.map(type => type.name) ?? [],
        links: store.sound.peek()?.instance.links.map(link => link.name) ?? [],
      }),
    }
    const colours = new Compartment()
    const view = viewOf(root, store.text, [history(store.text), extensions(options), colours.of([])])
    const detach = store.text.attach({
      // An undo in this editor: the cursor goes to the change.
      replace: ({ from, to, insert }) =>
        view.dispatch({
          changes: { from, to, insert },
          ...(view.hasFocus && { selection: { anchor: from + insert.length }, scrollIntoView: true }),
        }),
      goTo: anchor => {
        view.dispatch({ selection: { anchor }, scrollIntoView: true })
        view.focus()
      },
    })
    // In a separate task, so that neither task is long.
    const later = setTimeout(() => view.dispatch({ effects: colours.reconfigure(language()) }))
    const stop = effect(() => {
      const { text, problems } = store.reading.value
      // For the current text; it is read again after each change.
      if (text === view.state.doc.toString())
        view.dispatch(setDiagnostics(view.state, diagnostics(problems, view.state.doc)))
    })
    return () => {
      clearTimeout(later)
      stop()
      detach()
      view.destroy()
    }
  }, [store])
  return <div class="editor" ref={host} />
}

/** Attaches an editor to the text, which it informs of what is typed. */
function viewOf(root: ShadowRoot, text: ScenarioText, extensions: Extension): EditorView {
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: text.text.peek(), extensions }),
    dispatchTransactions: (transactions, view) => {
      view.update(transactions)
      const changed = transactions.filter(transaction => transaction.docChanged)
      if (changed.length === 0) return
      const byTyping = (transaction: Transaction) =>
        transaction.isUserEvent('input.type') || transaction.isUserEvent('delete')
      text.typed(view.state.doc.toString(), !changed.every(byTyping))
    },
  })
}
