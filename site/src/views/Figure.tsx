// A chart with its title and, folded below it, a table of the same data.

import type { ComponentChildren } from 'preact'
import { Term } from '../ui/Term'
import { Scroller } from './Scroller'

/** The name of figures, with its definition if it needs one. */
type Word = string | readonly [word: string, definition: string]

const nameOf = (word: Word) => (typeof word === 'string' ? word : word[0])
const show = (word: Word) => (typeof word === 'string' ? word : <Term text={word[1]}>{word[0]}</Term>)

interface FigureProps {
  title: Word
  /** A note beside the title, such as a unit. */
  note?: ComponentChildren
  head: readonly Word[]
  rows: readonly (readonly ComponentChildren[])[]
  children: ComponentChildren
}

export function Figure({ title, note, head, rows, children }: FigureProps) {
  return (
    <figure class="figure">
      <figcaption>
        <strong>{show(title)}</strong>
        {note && <span class="muted"> {note}</span>}
      </figcaption>
      {children}
      <details class="twin">
        <summary>Table</summary>
        <DataTable caption={nameOf(title)} head={head} rows={rows} />
      </details>
    </figure>
  )
}

/** The first cell of a row names it. */
export function DataTable({
  caption,
  head,
  rows,
}: {
  caption: string
  head: readonly Word[]
  rows: readonly (readonly ComponentChildren[])[]
}) {
  return (
    <Scroller label={caption}>
      <table class="data">
        <caption class="hidden-visually">{caption}</caption>
        <thead>
          <tr>
            {head.map(word => (
              <th key={nameOf(word)} scope="col">
                {show(word)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, r) => (
            <tr key={r}>
              {cells.map((cell, c) =>
                c === 0 ? (
                  <th key={c} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={c}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
