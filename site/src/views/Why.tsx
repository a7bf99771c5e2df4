// Why a job ends when it does: its chain in passages, whose parts can be selected.

import { useState } from 'preact/hooks'
import type { ChainLink, Schedule } from '../engine/api'
import { clean, instant, plural, short } from './format'
import { JobQuestion } from './JobQuestion'
import type { ExplainProps, Selection } from './props'
import { Scroller } from './Scroller'
import { opening, type Passage, passages } from './story'

/** The number of passages shown at first. */
const FEW = 8

export function Why({
  instance,
  result,
  newer,
  schedule,
  job,
  onJob,
  chain,
  selection,
  onSelect,
}: ExplainProps & { schedule: Schedule }) {
  const [all, setAll] = useState(false)
  const lastJob = result.completion.reduce(
    (best, end, j) => (end > (result.completion[best] ?? -1) ? j : best),
    0,
  )
  const shown = job ?? lastJob
  const links = chain ?? (shown === lastJob && result.chain.length > 0 ? result.chain : null)
  const end = result.completion[shown] ?? 0
  const time = (t: number) => instant(t, instance.tick_us, 1, end)
  const story = links ? passages(instance, schedule, links) : []
  return (
    <section>
      <JobQuestion instance={instance} shown={shown} last={lastJob} onJob={onJob} />
      {links === null ? (
        <p class="muted">Following its chain …</p>
      ) : story.length === 0 ? (
        <p class="muted">Its chain is not known.</p>
      ) : (
        <>
          <p>
            {newer && 'The search has found a better plan since; in the one before it, '}
            {short(instance.jobs[shown]?.name ?? '')} ends at {time(end)}. {opening(schedule, links, shown)}
          </p>
          <Scroller label="The chain">
            <table class="data story">
              <caption class="hidden-visually">The chain, from late to early</caption>
              <thead>
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">From</th>
                  <th scope="col">To</th>
                  <th scope="col">Not sooner because</th>
                </tr>
              </thead>
              <tbody>
                {story.slice(0, all ? story.length : FEW).map((p, n) => (
                  <PassageRow
                    key={n}
                    passage={p}
                    schedule={schedule}
                    time={time}
                    selection={selection}
                    onSelect={onSelect}
                  />
                ))}
              </tbody>
            </table>
          </Scroller>
          {story.length > FEW && !all && (
            <button type="button" class="link" onClick={() => setAll(true)}>
              {plural(story.length - FEW, 'earlier part')}
            </button>
          )}
        </>
      )}
    </section>
  )
}

/** How many single steps are listed: more can be followed in the timeline. */
const MOST_LINKS = 60

interface PassageRowProps {
  passage: Passage
  schedule: Schedule
  /** Ticks in words. */
  time(t: number): string
  selection: Selection | null
  onSelect(selection: Selection): void
}

function PassageRow({ passage, schedule, time, selection, onSelect }: PassageRowProps) {
  const of = (link: ChainLink): Selection => {
    const rows = link.kind === 'task' ? schedule.tasks : schedule.syncs
    return {
      job: rows.job[link.index]!,
      iteration: rows.iteration[link.index]!,
      gpu: link.kind === 'task' ? schedule.tasks.gpu[link.index]! : null,
    }
  }
  const element = (link: ChainLink, text: string) => {
    const s = of(link)
    const picked = selection?.job === s.job && selection.iteration === s.iteration && selection.gpu === s.gpu
    return (
      <button type="button" class={picked ? 'link picked' : 'link'} onClick={() => onSelect(s)}>
        {text}
      </button>
    )
  }
  // A passage is selected by its latest element, where it joins the passage read before.
  return (
    <tr>
      <th scope="row">
        {element(passage.links[0]!, passage.what)}
        {passage.links.length > 1 && (
          <details>
            <summary class="muted">{passage.links.length} steps</summary>
            <ol reversed start={passage.links.length}>
              {passage.links.slice(0, MOST_LINKS).map(link => (
                <li key={`${link.kind}${link.index}`}>{element(link, clean(link.text))}</li>
              ))}
            </ol>
            {passage.links.length > MOST_LINKS && (
              <p class="muted">and {passage.links.length - MOST_LINKS} more</p>
            )}
          </details>
        )}
      </th>
      <td>{time(passage.from)}</td>
      <td>{time(passage.to)}</td>
      <td>{passage.because}</td>
    </tr>
  )
}
