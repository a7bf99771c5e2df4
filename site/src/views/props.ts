// The properties of the views. Views are pure functions of these: their own state is only
// what is under the pointer, scroll positions, and which parts are unfolded.

import type { ComponentChildren } from 'preact'
import type {
  ChainLink,
  Compiled,
  ObjectiveName,
  PlanPoint,
  PlanResult,
  ProfileInfo,
  Progress,
  ResilienceAnswer,
  Schedule,
  Usage,
  WhatIfAnswer,
  WhatIfChange,
} from '../engine/api'

/**
 * The selection in a schedule, by identifiers that survive a replan, so that a share
 * link can contain it. gpu null: the synchronisation; iteration 0: the whole job.
 */
export interface Selection {
  job: number
  /** From 1; 0 means all of them. */
  iteration: number
  gpu: number | null
}

/** A range of time in ticks. */
export interface TimeRange {
  from: number
  to: number
}

/** The utilisation shown by the views; that of the core has more. */
export type Use = Pick<Usage, 'gpu_share' | 'gpu_memory' | 'link_share' | 'mean_gpu'>

/** A move of a task, relative to its position when the move began. */
export interface TaskMove {
  /** Ticks. */
  by: number
  /** Within this distance, in ticks, it snaps to where it fits. */
  reach: number
  /** Whether its whole iteration moves along. */
  whole: boolean
  /** Whether the move ends with this. */
  done: boolean
}

export interface TimelineProps {
  /** Names the picture, for people who cannot see it and in table captions. */
  label: string
  instance: Compiled
  schedule: Schedule
  /** null while there is none. */
  usage: Use | null
  /** Bound on the objective; drawn if it is a time (makespan). */
  bound: number | null
  certified: boolean
  /** The critical chain, late to early; empty: none is drawn. */
  chain: readonly ChainLink[]
  /** There is one where none is given for now: its button stays. */
  chained?: boolean
  selection: Selection | null
  onSelect(selection: Selection | null): void
  /** null shows everything. Timelines with the same range move together. */
  range: TimeRange | null
  onRange(range: TimeRange | null): void
  /** Changes the cluster; words describe the change. Absent if that is impossible. */
  onChange?(changes: readonly WhatIfChange[], words: string): void
  /** Moves a task by hand; absent if tasks cannot be moved. */
  onMove?(task: number, move: TaskMove): void
  /** Content among the buttons. */
  tools?: ComponentChildren
  /** Least length of the whole time axis, in ticks, shared by two compared plans. */
  horizon?: number
  /** Content before the buttons. */
  heading?: string
  /** Nodes whose GPUs have rows; all by default. */
  nodes?: readonly number[]
  /** Whether these are some of many rows: then the chain is shown only on request. */
  large?: boolean
  /** Whether this is a pattern of a long plan: then makespan and releases do not apply. */
  pattern?: boolean
  /** Without legend and table; for one of several timelines. */
  compact?: boolean
}

/** changed: the scenario is being read; problems: it has problems; unplanned: it has no plan yet. */
export type Stale = '' | 'changed' | 'problems' | 'unplanned'

/** Everything known of a run so far, or its result. */
export interface RunView {
  objective: ObjectiveName
  tick_us: number
  primal: number | null
  dual: number | null
  certified: boolean
  /** null while it runs. */
  result: PlanResult | null
  usage: Use | null
  /** The run so far, in order of time. */
  series: readonly PlanPoint[]
  running: boolean
  /** Why it does not apply to the current scenario; empty: it does. */
  stale: Stale
  /** The progress of the plan that will replace it, in words. */
  coming?: string
}

export interface NumbersProps {
  instance: Compiled | null
  run: RunView
  /** Content below the status of the plan. */
  gain?: ComponentChildren
  /** Content below the reasons why there is no plan. */
  mend?: ComponentChildren
}

export interface ProgressProps {
  run: RunView
}

/** A change that was asked about, and the answer. */
export interface WhatIfState {
  change: WhatIfChange
  /** null while it is computed. */
  answer: WhatIfAnswer | null
  /** Not empty if the question failed. */
  error: string
}

/** What is known about failures. */
export interface FailuresState {
  /** null while nothing is examined; of: 0 until their number is known. */
  progress: Progress | null
  answer: ResilienceAnswer | null
  /** Not empty if it failed. */
  error: string
}

export interface ExplainProps {
  instance: Compiled
  result: PlanResult
  /** Whether the search has found the current plan since. */
  newer: boolean
  /** The job whose end is explained; null: the one that ends last. */
  job: number | null
  onJob(job: number | null): void
  /** The chain that ends job, late to early; null while it is computed. */
  chain: readonly ChainLink[] | null
  selection: Selection | null
  onSelect(selection: Selection | null): void
  whatIfs: readonly WhatIfState[]
  onWhatIf(change: WhatIfChange): void
  /** Applies the change to the scenario; words describe it. */
  onTakeOver(change: WhatIfChange, words: string): void
}

/** A plan for comparison. */
export interface Pinned {
  /** Such as `A` or the name of a scenario. */
  label: string
  instance: Compiled
  result: PlanResult
}

export interface CompareProps {
  a: Pinned
  b: Pinned
  selection: Selection | null
  onSelect(selection: Selection | null): void
  range: TimeRange | null
  onRange(range: TimeRange | null): void
}

export interface SpbProps {
  instance: Compiled
  job: number
  onJob(job: number): void
  /** The job's profile on each GPU type with one; empty while they load, or for inline profiles. */
  profiles: readonly ProfileInfo[]
  /** The plan whose depths are shown; null: none. */
  schedule: Schedule | null
}
