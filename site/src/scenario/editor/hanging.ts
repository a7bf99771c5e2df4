// Wrapped lines continue below their text, not below their indentation.
import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Deeper lines are treated like this one. */
const deepest = 16

/** The hanging indent of a line, in characters: its indentation, the dashes of lists, and two. */
const hang = (line: string) => Math.min(/^[ -]*/.exec(line)?.[0].length ?? 0, deepest) + 2

// Classes, because the page forbids inline styles.
const marks = Array.from({ length: deepest + 3 }, (_, by) => Decoration.line({ class: `hang-${by}` }))
const look = EditorView.theme(
  Object.fromEntries(
    marks.map((_, by) => [`.hang-${by}`, { paddingLeft: `calc(6px + ${by}ch)`, textIndent: `-${by}ch` }]),
  ),
)

function mark({ visibleRanges, state }: EditorView): DecorationSet {
  const set = new RangeSetBuilder<Decoration>()
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at)
      const decoration = marks[hang(line.text)]
      if (decoration) set.add(line.from, line.from, decoration)
      at = line.to + 1
    }
  return set.finish()
}

const plugin = ViewPlugin.fromClass(
  class {
    lines: DecorationSet
    constructor(view: EditorView) {
      this.lines = mark(view)
    }
    update({ docChanged, viewportChanged, view }: ViewUpdate) {
      if (docChanged || viewportChanged) this.lines = mark(view)
    }
  },
  { decorations: ({ lines }) => lines },
)

export const hangingIndent = [plugin, look]
