// The editor's functions and its look. Colours are those of the page, see tokens.css.
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { ScenarioText } from '../../state/text'
import { completion, type Names } from './complete'
import { hangingIndent } from './hanging'
import type { Schema } from './schema'

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  // Above the gutter, which hides an outline of the editor itself.
  '&.cm-focused::after': {
    content: '""',
    position: 'absolute',
    inset: '0',
    zIndex: '400',
    border: '2px solid var(--focus)',
    pointerEvents: 'none',
  },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-2)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--surface-2)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--surface-2) 60%, transparent)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionInfo': { maxWidth: '22rem', fontFamily: 'var(--font)' },
  '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--text)', fontFamily: 'var(--font)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '4px 24px 6px 8px' },
  '.cm-panel.cm-search label': { fontSize: '12px' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)', verticalAlign: '-2px' },
  '.cm-panel.cm-search [name=close]': { padding: '0 4px', fontSize: '16px', color: 'var(--text-2)' },
  '.cm-textfield, .cm-button': {
    padding: '2px 6px',
    border: '1px solid var(--line)',
    borderRadius: '5px',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12px',
  },
  '.cm-textfield': { borderColor: 'var(--line-strong)' },
  '.cm-panel :focus-visible': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-diagnostic': { fontFamily: 'var(--font)', fontSize: '12.5px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': {
    content: 'none',
    width: '8px',
    height: '8px',
    margin: '5px 0 0 4px',
    borderRadius: '50%',
    backgroundColor: 'var(--bad)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--surface-3)', outline: 'none' },
  '.cm-selectionMatch': { backgroundColor: 'var(--surface-3)' },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--ok)' },
  { tag: [tags.keyword, tags.labelName], color: 'var(--warn)' },
  { tag: [tags.separator, tags.punctuation, tags.brace, tags.squareBracket], color: 'var(--text-2)' },
])

export interface EditorOptions {
  schema: () => Schema | null
  names: () => Names
}

/** Undo and redo, by key and by the browser's menu, use the history shared with the forms. */
export function history(text: ScenarioText): Extension {
  const undo = () => {
    text.undo()
    return true
  }
  const redo = () => {
    text.redo()
    return true
  }
  return [
    keymap.of([
      { key: 'Mod-z', run: undo, preventDefault: true },
      { key: 'Mod-y', mac: 'Mod-Shift-z', run: redo, preventDefault: true },
      { linux: 'Ctrl-Shift-z', run: redo, preventDefault: true },
    ]),
    EditorView.domEventHandlers({
      beforeinput: event => {
        if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return false
        event.preventDefault()
        return event.inputType === 'historyUndo' ? undo() : redo()
      },
    }),
  ]
}

/** Tokenises the text for highlighting. */
export const language = (): Extension => [yaml(), syntaxHighlighting(colours)]

export const extensions = ({ schema, names }: EditorOptions): Extension => [
  lineNumbers(),
  lintGutter(),
  drawSelection(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  bracketMatching(),
  closeBrackets(),
  indentOnInput(),
  indentUnit.of('  '),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  hangingIndent,
  autocompletion({ override: [completion(schema, names)], icons: false }),
  // Tab accepts a completion, and otherwise moves to the next control, so that the keyboard can leave the editor.
  keymap.of([
    { key: 'Tab', run: acceptCompletion },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...searchKeymap,
    // Ctrl-Enter plans, in the whole page.
    ...defaultKeymap.filter(binding => binding.key !== 'Mod-Enter'),
  ]),
  EditorView.contentAttributes.of({
    'aria-label': 'Scenario as YAML',
    'aria-multiline': 'true',
    // Set explicitly, because not all tools treat editable content as focusable.
    tabindex: '0',
  }),
  look,
]
