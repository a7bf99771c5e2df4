import { SelectField, TextField } from '../../ui/fields'
import type { ScenarioEdit } from '../edit'
import { type Fields, fields, list, text } from '../spec'

const objectives = [
  ['makespan', 'Makespan'],
  ['weighted_completion', 'Weighted completion'],
  ['throughput', 'Throughput'],
  ['max_min_throughput', 'Max-min throughput'],
] as const

const meaning: Readonly<Record<string, string>> = {
  makespan: 'The last job ends as soon as possible.',
  weighted_completion: 'Jobs end as early as possible, weighted by their weights.',
  throughput: 'As many weighted iterations per second as possible, in a plan that repeats.',
  max_min_throughput: 'The slowest job, relative to its weight, runs as fast as possible.',
}

export function GeneralForm({ spec, edit }: { spec: Fields; edit: ScenarioEdit }) {
  // Burst-parallel jobs have no choice of objective.
  const bursts = list(spec.jobs).some(job => fields(job).kind === 'burst')
  return (
    <div class="fields">
      {text(spec.lesson) && <p class="explains">{text(spec.lesson)}</p>}
      <TextField
        at={['name']}
        label="Name"
        value={text(spec.name)}
        onChange={value => edit.set(['name'], value === '' ? undefined : value)}
      />
      {!bursts && (
        <SelectField
          at={['objective']}
          label="Objective"
          value={text(spec.objective) || 'makespan'}
          options={objectives}
          onChange={value => edit.set(['objective'], value)}
        />
      )}
      <div class="field">
        <p class="explains wide">
          {bursts
            ? 'Background jobs run as fast as possible beside the burst-parallel jobs.'
            : meaning[text(spec.objective) || 'makespan']}
        </p>
      </div>
    </div>
  )
}
