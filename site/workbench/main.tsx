// The views alone, with artificial plans, for inspection and measurements: not part of
// the site. ?plan=small|rack|large|periodic|names or ?example=rack, ?view=timeline|numbers|..., ?theme=dark.

import '../src/styles/tokens.css'
import '../src/styles/base.css'
import { signal } from '@preact/signals'
import { render } from 'preact'
import type { WhatIfChange } from '../src/engine/api'
import { startEngine } from '../src/engine/client'
import { gallery } from '../src/scenario/gallery/gallery'
import { Timeline } from '../src/timeline/Timeline'
import { Compare } from '../src/views/Compare'
import { Explain } from '../src/views/Explain'
import { Numbers } from '../src/views/Numbers'
import { Progress } from '../src/views/Progress'
import type { RunView, Selection, TimeRange, WhatIfState } from '../src/views/props'
import { Spb } from '../src/views/Spb'
import { fixture, large, profileOf } from '../test/fixture'

const query = new URLSearchParams(location.search)
document.documentElement.dataset.theme = query.get('theme') ?? 'light'

const plans = {
  small: () => fixture(),
  rack: () => fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 2400, seed: 3 }),
  large,
  periodic: () => fixture({ periodic: true, tasks: 90, seed: 5 }),
  names: () => {
    const plan = fixture()
    const odd = [
      '<img src=x onerror=alert(1)>',
      'long'.repeat(500),
      '\u202eright to left',
      '模型',
      'a\nb\u0000c',
    ]
    odd.forEach((name, j) => {
      plan.instance.jobs[j]!.name = name
    })
    plan.instance.nodes[0]!.name = 'node'.repeat(300)
    plan.instance.links[0]!.name = 'link'.repeat(300)
    return plan
  },
}

/** An example of the library, planned by the site's own engine: make wasm, make clp-wasm. */
async function example(name: string) {
  const starting = startEngine()
  starting.onCrash = message => console.error(message)
  const engine = await starting.engine
  const found = gallery.find(e => e.name === name)
  if (!found) throw new Error(`there is no example ${name}`)
  const { instance } = await engine.call('compile', { text: found.text })
  if (!instance) throw new Error(`${name} does not compile`)
  const result = await engine.call('plan', { text: found.text, seed: 0, quick: query.has('quick') })
  return { instance, result, profiles: await engine.call('profiles', {}) }
}

const named = query.get('example')
const { instance, result, profiles } = named
  ? await example(named)
  : { ...plans[(query.get('plan') ?? 'small') as keyof typeof plans](), profiles: null }
const selection = signal<Selection | null>(null)
const range = signal<TimeRange | null>(null)

const run: RunView = {
  objective: instance.objective,
  tick_us: instance.tick_us,
  primal: result.primal,
  dual: result.dual,
  certified: result.certified,
  result,
  usage: result.usage,
  series: result.series,
  running: false,
  stale: '',
}

const job = signal<number | null>(null)
const whatIfs = signal<WhatIfState[]>([])

/** Answers after a delay, and refuses to cut links. */
function ask(change: WhatIfChange) {
  const others = whatIfs.value.filter(w => w.change !== change)
  whatIfs.value = [...others, { change, answer: null, error: '' }]
  setTimeout(() => {
    const answer = {
      change,
      label: '',
      predicted: -0.11,
      before: 100,
      after: 90,
      verified: -0.1,
      plan_before: result.primal,
      plan_after: result.primal! * 0.91,
      reasons: [],
    }
    whatIfs.value = [
      ...others,
      change.kind === 'cut_link'
        ? { change, answer: null, error: 'it was not to be' }
        : { change, answer, error: '' },
    ]
  }, 300)
}

function Page() {
  const select = (s: Selection | null) => {
    selection.value = s
  }
  const show = (r: TimeRange | null) => {
    range.value = r
  }
  switch (query.get('view')) {
    case 'numbers':
      return (
        <>
          <Numbers instance={instance} run={run} />
          <Progress run={run} />
        </>
      )
    case 'explain':
      return (
        <Explain
          instance={instance}
          result={result}
          newer={false}
          job={job.value}
          onJob={j => {
            job.value = j
          }}
          chain={job.value === null ? result.chain : result.chain.slice(10)}
          selection={selection.value}
          onSelect={select}
          whatIfs={whatIfs.value}
          onWhatIf={ask}
          onTakeOver={change => console.log(change)}
        />
      )
    case 'compare':
      return (
        <Compare
          a={{ label: 'A', instance, result }}
          b={{ label: 'B', ...fixture({ jobs: 6, seed: 2 }) }}
          selection={selection.value}
          onSelect={select}
          range={range.value}
          onRange={show}
        />
      )
    case 'spb':
      return (
        <Spb
          instance={instance}
          job={job.value ?? 0}
          onJob={j => {
            job.value = j
          }}
          profiles={profiles ?? [profileOf(instance.jobs[job.value ?? 0]!.model)]}
          schedule={result.schedule}
        />
      )
    default:
      return (
        result.schedule && (
          <Timeline
            label="fixture"
            instance={instance}
            schedule={result.schedule}
            usage={result.usage}
            bound={result.dual}
            certified={result.certified}
            chain={result.chain}
            selection={selection.value}
            onSelect={select}
            range={range.value}
            onRange={show}
          />
        )
      )
  }
}

render(<Page />, document.getElementById('app')!)

// The cost of a frame: its callbacks, and then the rasterising of the canvases, which reading
// a pixel waits for.
const frameTimes: { script: number; all: number }[] = []
const request = window.requestAnimationFrame.bind(window)
window.requestAnimationFrame = callback =>
  request(time => {
    const begin = performance.now()
    callback(time)
    const script = performance.now() - begin
    if (script < 0.2) return
    for (const canvas of document.querySelectorAll('canvas'))
      canvas.getContext('2d')?.getImageData(0, 0, 1, 1)
    frameTimes.push({ script, all: performance.now() - begin })
  })
Object.assign(window, { bench: { selection, range, instance, result, frameTimes } })
