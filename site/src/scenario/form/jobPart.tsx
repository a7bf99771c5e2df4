// What the parts of a job's form share.
import { NumberField } from '../../ui/fields'
import type { ScenarioEdit } from '../edit'
import { type Fields, number } from '../spec'
import type { Path } from '../yaml/path'

/** The job of a part, its place in the file, and the editor of the file. */
export interface JobPart {
  job: Fields
  index: number
  edit: ScenarioEdit
}

/** The path of a job's field in the file. */
export const pathIn =
  (index: number) =>
  (...names: string[]): Path => ['jobs', index, ...names]

/** A number that is 1 unless the file says more. */
export function Count({
  job,
  index,
  edit,
  name,
  label,
  max,
  hint,
}: JobPart & { name: string; label: string; max: number; hint: string }) {
  const at = pathIn(index)(name)
  return (
    <NumberField
      at={at}
      label={label}
      hint={hint}
      value={number(job[name], 0) || 1}
      min={1}
      max={max}
      onChange={value => edit.setUnless(at, value, 1)}
    />
  )
}
