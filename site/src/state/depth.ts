// The same scenario with all jobs at full depth, as a comparison for partial backpropagation.
import type { Compiled, CompiledJob } from '../engine/api'

/** Whether the job's rule lets a worker leave layers out. */
const isPartial = ({ depths, rule }: CompiledJob) =>
  depths.length > 1 && (rule.fixed === null || rule.fixed.some((n, d) => n > 0 && d < depths.length - 1))

/** Whether SPB makes a difference at all. */
export const hasPartial = (instance: Compiled) => instance.jobs.some(isPartial)

/** The file, as the core reads it, with every job at full depth; JSON, which is valid YAML. */
export function fullDepth(spec: unknown): string {
  const file = spec as { jobs?: object[] }
  return JSON.stringify({ ...file, jobs: file.jobs?.map(job => ({ ...job, spb: { rule: 'full' } })) })
}
