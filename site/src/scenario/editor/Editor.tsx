// The scenario as text. The editor lives in a shadow root: there CodeMirror adopts its style
// sheets, where in the page itself it would need inline styles, which the page forbids.
import { setDiagnostics } from '@codemirror/lint'
import { effect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Store } from '../../state/store'
import { extensions, language } from './extensions'
import { diagnostics } from './lint'
import type { Schema } from './schema'

export default function Editor({ store }: { store: Store }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const { view, unmount } = store.text.mount(
      root,
      extensions({
        schema: () => store.schema.peek() as Schema | null,
        names: () => ({
          models: [...new Set(store.profiles.peek().map(profile => profile.model))],
          gpuTypes: store.sound.peek()?.instance.types.map(type => type.name) ?? [],
          links: store.sound.peek()?.instance.links.map(link => link.name) ?? [],
        }),
      }),
      language(),
    )
    const stop = effect(() => {
      const { text, problems } = store.reading.value
      // Of the text as it is; the next reading follows each change.
      if (text === view.state.doc.toString())
        view.dispatch(setDiagnostics(view.state, diagnostics(problems, view.state.doc)))
    })
    return () => {
      stop()
      unmount()
    }
  }, [store])
  return <div class="editor" ref={host} />
}
