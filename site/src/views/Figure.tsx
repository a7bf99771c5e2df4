// A chart with its title and, folded away below it, the table of the same.

import type { ComponentChildren } from 'preact'
import { Scroller } from './Scroller'

interface FigureProps {
  title: string
  /** What stands beside the title, like a unit. */
  note?: string
  head: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
  children: ComponentChildren
}

export function Figure({ title, note, head, rows, children }: FigureProps) {
  return (
    <figure class="figure">
      <figcaption>
        <strong>{title}</strong>
        {note && <span class="muted"> {note}</span>}
      </figcaption>
      {children}
      <details class="twin">
        <summary>Table</summary>
        <DataTable caption={title} head={head} rows={rows} />
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
  head: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
}) {
  return (
    <Scroller label={caption}>
      <table class="data">
        <caption class="hidden-visually">{caption}</caption>
        <thead>
          <tr>
            {head.map(text => (
              <th key={text} scope="col">
                {text}
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
