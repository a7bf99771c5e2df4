// What the views are given. They are pure functions of these: they hold nothing but
// what is under the pointer, which rows are scrolled to, and which parts are unfolded.

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
 * What is picked out in a schedule, by names that outlive a re-plan, so that a share
 * link can carry it. gpu null: the synchronisation; iteration 0: the whole job.
 */
export interface Selection {
  job: number
  /** From 1; 0 stands for all of them. */
  iteration: number
  gpu: number | null
}

/** A range of time in ticks. */
export interface TimeRange {
  from: number
  to: number
}

/** What the views show of a schedule's use; the core's own has more. */
export type Use = Pick<Usage, 'gpu_share' | 'gpu_memory' | 'link_share' | 'mean_gpu'>

/** A move of a task, from where it was when the move began. */
export interface TaskMove {
  /** Ticks. */
  by: number
  /** How near, in ticks, it comes to where it fits before it stops there. */
  reach: number
  /** With all of its iteration. */
  whole: boolean
  /** The move ends with this. */
  done: boolean
}

export interface TimelineProps {
  /** Names the picture, for people who cannot see it and in table captions. */
  label: string
  instance: Compiled
  schedule: Schedule
  /** null while none is known. */
  usage: Use | null
  /** Bound on the objective; drawn where it is a time (makespan). */
  bound: number | null
  certified: boolean
  /** The critical chain, late to early; empty: none is drawn. */
  chain: readonly ChainLink[]
  /** There is one where none is given for now: its button stays. */
  chained?: boolean
  selection: Selection | null
  onSelect(selection: Selection | null): void
  /** null shows everything. Two timelines given the same range move together. */
  range: TimeRange | null
  onRange(range: TimeRange | null): void
  /** Changes the cluster, and says in words how; absent where that cannot be. */
  onChange?(changes: readonly WhatIfChange[], words: string): void
  /** Moves a task by hand; absent where tasks stay. */
  onMove?(task: number, move: TaskMove): void
  /** What stands among the buttons. */
  tools?: ComponentChildren
  /** Least length of the whole time axis, ticks: what two compared plans share. */
  horizon?: number
  /** What stands before the buttons. */
  heading?: string
  /** Nodes whose GPUs have rows; all by default. */
  nodes?: readonly number[]
  /** A part of many rows: the chain shows when it is asked for. */
  large?: boolean
  /** A pattern of a long plan: neither makespan nor releases are its own. */
  pattern?: boolean
  /** Neither legend nor table; for one of several. */
  compact?: boolean
}

/** The scenario has changed and is being read, it has problems, or it is another, which has no plan yet. */
export type Stale = '' | 'changed' | 'problems' | 'unplanned'

/** Everything a run has shown so far, or its result. */
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
  /** Why it does not hold for the scenario as it is now; empty: it does. */
  stale: Stale
  /** How far the plan is that will show in its place, in words. */
  coming?: string
}

export interface NumbersProps {
  instance: Compiled | null
  run: RunView
  /** What stands below the state of the plan. */
  gain?: ComponentChildren
  /** What stands below the reasons why there is no plan. */
  mend?: ComponentChildren
}

export interface ProgressProps {
  run: RunView
}

/** A change that was asked about, and what came of it. */
export interface WhatIfState {
  change: WhatIfChange
  /** null while it is computed. */
  answer: WhatIfAnswer | null
  /** Not empty where the question failed. */
  error: string
}

/** What is known of failures. */
export interface FailuresState {
  /** null while nothing is looked at; of: 0 until their number is known. */
  progress: Progress | null
  answer: ResilienceAnswer | null
  /** Not empty where it failed. */
  error: string
}

export interface ExplainProps {
  instance: Compiled
  result: PlanResult
  /** Whether the plan that shows has come since, by the search that goes on. */
  newer: boolean
  /** Job whose end is explained; null: the last one to end. */
  job: number | null
  onJob(job: number | null): void
  /** The chain that ends job, late to early; null while it is computed. */
  chain: readonly ChainLink[] | null
  selection: Selection | null
  onSelect(selection: Selection | null): void
  whatIfs: readonly WhatIfState[]
  onWhatIf(change: WhatIfChange): void
  /** Makes the change in the scenario; words say what it is. */
  onTakeOver(change: WhatIfChange, words: string): void
}

/** A plan that is kept beside another. */
export interface Pinned {
  /** Like `A` or the name of a scenario. */
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
  /** The job's profile on each GPU type that has one; empty while they load, or for inline profiles. */
  profiles: readonly ProfileInfo[]
  /** What depths the plan uses; null: none is shown. */
  schedule: Schedule | null
}
