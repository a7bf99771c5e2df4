import { SelectField, TextField } from '../../ui/fields'
import type { ScenarioEdit } from '../edit'
import { type Fields, text } from '../spec'

const objectives = [
  ['makespan', 'makespan: the last job ends soonest'],
  ['weighted_completion', 'weighted completion: important jobs end soon'],
  ['throughput', 'throughput: most weighted iterations, for ever'],
  ['max_min_throughput', 'max-min throughput: the slowest job fastest'],
] as const

export function GeneralForm({ spec, edit }: { spec: Fields; edit: ScenarioEdit }) {
  return (
    <div class="fields">
      <TextField
        label="Name"
        value={text(spec.name)}
        onChange={value => edit.set(['name'], value === '' ? undefined : value)}
      />
      <SelectField
        label="Objective"
        value={text(spec.objective) || 'makespan'}
        options={objectives}
        onChange={value => edit.set(['objective'], value)}
      />
    </div>
  )
}
