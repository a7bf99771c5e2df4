// The views alone, with plans made up, for looking at them and for measuring: not part of
// the site. ?plan=small|rack|large|periodic, ?view=timeline|numbers|..., ?theme=dark.

import '../src/styles/tokens.css'
import '../src/styles/base.css'
import { signal } from '@preact/signals'
import { render } from 'preact'
import { Timeline } from '../src/timeline/Timeline'
import type { Selection, TimeRange } from '../src/views/props'
import { fixture, large } from '../test/fixture'

const query = new URLSearchParams(location.search)
document.documentElement.dataset.theme = query.get('theme') ?? 'light'

const plans = {
  small: () => fixture(),
  rack: () => fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 2400, seed: 3 }),
  large,
  periodic: () => fixture({ periodic: true, tasks: 90, seed: 5 }),
}
const { instance, result } = plans[(query.get('plan') ?? 'small') as keyof typeof plans]()
const selection = signal<Selection | null>(null)
const range = signal<TimeRange | null>(null)

function Page() {
  if (!result.schedule) return null
  return (
    <Timeline
      label="fixture"
      instance={instance}
      schedule={result.schedule}
      usage={result.usage}
      bound={result.dual}
      certified={result.certified}
      chain={result.chain}
      selection={selection.value}
      onSelect={s => {
        selection.value = s
      }}
      range={range.value}
      onRange={r => {
        range.value = r
      }}
    />
  )
}

render(<Page />, document.getElementById('app')!)

// What each frame costs: what its callbacks do, and then the rasterising of the canvases,
// which reading a pixel waits for.
const frameTimes: { script: number; all: number }[] = []
const request = window.requestAnimationFrame.bind(window)
window.requestAnimationFrame = callback =>
  request(time => {
    const begin = performance.now()
    callback(time)
    const script = performance.now() - begin
    if (script < 0.2) return
    for (const canvas of document.querySelectorAll('canvas')) canvas.getContext('2d')?.getImageData(0, 0, 1, 1)
    frameTimes.push({ script, all: performance.now() - begin })
  })
Object.assign(window, { bench: { selection, range, instance, result, frameTimes } })
