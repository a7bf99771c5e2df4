// The effect of partial backpropagation on a job: time, memory and traffic by depth, and
// where in the model the depths begin.

import type { CompiledJob, ProfileInfo } from '../engine/api'
import { Term } from '../ui/Term'
import { Figure } from './Figure'
import { bytes, percent, short, ticks } from './format'
import { glossary } from './glossary'
import type { SpbProps } from './props'
import {
  cutsOf,
  depthName,
  profilesOf,
  ruleWords,
  type Series,
  saving,
  seriesOf,
  usedDepths,
} from './savings'
import './views.css'

const terms: Readonly<Record<string, string>> = {
  'Time of a task': glossary.task_time,
  'Memory while it runs': glossary.task_memory,
  'Gradients synchronised': glossary.gradients,
}

export function Spb({ instance, job, onJob, profiles, schedule }: SpbProps) {
  const spec = instance.jobs[job]
  if (!spec) return <p class="muted side-empty">There is no such job.</p>
  const text = (s: Series, v: number) =>
    s.unit === 'ticks' ? ticks(v, instance.tick_us, s.values.at(-1)) : bytes(v)
  const used = usedDepths(schedule, job, spec.depths.length)
  return (
    <section class="spb" aria-label="Partial backpropagation">
      <div class="spb-head">
        <label>
          Job{' '}
          <select class="select" value={job} onChange={e => onJob(Number(e.currentTarget.value))}>
            {instance.jobs.map((j, n) => (
              <option key={n} value={n}>
                {short(j.name)}
              </option>
            ))}
          </select>
        </label>
        <span class="muted">
          {short(spec.model)}, {spec.workers} workers. {ruleWords(spec)}
        </span>
        <Term text={glossary.spb}>What is SPB?</Term>
        <Term text={glossary.mean_depth}>What is the mean depth?</Term>
      </div>
      <div class="multiples">
        {seriesOf(instance, spec).map(s => (
          <Figure
            key={s.name + s.type}
            title={[s.name, terms[s.name] ?? '']}
            note={s.type}
            head={[['Depth', glossary.depth], s.name, ['Saved', glossary.saved]]}
            rows={s.values.map((v, d) => [depthName(spec, d), text(s, v), percent(saving(s.values, d))])}
          >
            <Bars series={s} job={spec} text={v => text(s, v)} />
          </Figure>
        ))}
        {used && (
          <Figure
            title={['Depths in this plan', glossary.depths_used]}
            note="share of the job’s tasks"
            head={[['Depth', glossary.depth], 'Tasks']}
            rows={used.map((v, d) => [depthName(spec, d), percent(v)])}
          >
            <Bars
              series={{ name: '', type: '', unit: 'bytes', values: used }}
              job={spec}
              text={v => percent(v, 0)}
              whole={1}
            />
          </Figure>
        )}
      </div>
      {profilesOf(instance, spec, profiles).map(p => (
        <Layers key={p.gpu} job={spec} profile={p} />
      ))}
    </section>
  )
}

/** Bars by depth, with the saving relative to full depth beside them. */
function Bars({
  series,
  job,
  text,
  whole,
}: {
  series: Series
  job: CompiledJob
  text(v: number): string
  whole?: number
}) {
  const most = whole ?? Math.max(...series.values, 1e-12)
  return (
    <ul class="depth-bars" aria-hidden="true">
      {series.values.map((v, d) => {
        const saved = saving(series.values, d)
        return (
          <li key={d}>
            <span class="number">{depthName(job, d)}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none">
              <title>{text(v)}</title>
              <rect class="meter-ground" width="100" height="10" />
              <rect
                class="meter-fill"
                width={(100 * v) / most}
                height="10"
                opacity={0.45 + (0.55 * (d + 1)) / series.values.length}
              />
            </svg>
            <span class="number">
              {text(v)}
              {whole === undefined && d < series.values.length - 1 && saved >= 0.005 && (
                <span class="better"> {percent(-saved, 0)}</span>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** The model, layer by layer in order of the forward pass: the width of a layer is its backward time, the height its parameters. */
function Layers({ job, profile }: { job: CompiledJob; profile: ProfileInfo }) {
  const { layers } = profile
  const total = layers.reduce((sum, l) => sum + l.backward_ns, 0)
  const most = Math.max(...layers.map(l => l.parameters), 1)
  if (total <= 0 || layers.length === 0) return null
  const cuts = cutsOf(job, layers.length)
  const at: number[] = []
  let x = 0
  for (const l of layers) {
    at.push((1000 * x) / total)
    x += l.backward_ns
  }
  at.push(1000)
  return (
    <Figure
      title={`Layers of ${short(profile.model)}`}
      note={`on ${short(profile.gpu)}, batch ${profile.batch}${profile.estimated ? ', estimated, not measured' : ''}; width: backward time, height: parameters; a depth goes from its line to the loss at the right`}
      head={[
        'Layer',
        ['Backward', glossary.layer_backward],
        ['Parameters', glossary.layer_parameters],
        ['First layer of depth', glossary.first_layer],
      ]}
      rows={layers.map((l, i) => [
        short(l.name),
        ticks(l.backward_ns, 0.001),
        bytes(l.parameters),
        cuts.includes(i)
          ? job.depths
              .map((_, d) => d)
              .filter(d => cuts[d] === i)
              .map(d => depthName(job, d))
              .join(', ')
          : '',
      ])}
    >
      <svg
        class="layers"
        viewBox="0 0 1000 80"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${layers.length} layers; depths begin at ${cuts.map(c => c + 1).join(', ')}`}
      >
        {layers.map((l, i) => {
          const height = 4 + 76 * Math.sqrt(l.parameters / most)
          return (
            <rect
              key={i}
              class={i % 2 ? 'layer odd' : 'layer'}
              x={at[i]}
              width={Math.max(at[i + 1]! - at[i]!, 0.3)}
              y={80 - height}
              height={height}
            >
              <title>{`${short(l.name)}: backward ${ticks(l.backward_ns, 0.001)}, ${bytes(l.parameters)}`}</title>
            </rect>
          )
        })}
        {cuts.map((c, d) => (
          <line key={d} class="cut" x1={at[c]} x2={at[c]} y1="0" y2="80" vector-effect="non-scaling-stroke" />
        ))}
      </svg>
      <div class="cut-names" aria-hidden="true">
        {cuts.map((c, d) => (
          <span key={d} style={{ left: `${at[c]! / 10}%` }}>
            {depthName(job, d)}
          </span>
        ))}
      </div>
    </Figure>
  )
}
