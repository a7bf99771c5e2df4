// The contract between the page and the Go core: what goes over the wire between
// the page and a worker. The Go side is folder wasm; its tests hold both to this file's
// names. Small things are plain objects, bulk data typed arrays that are transferred.
//
// Units: times in ticks of `tick_us` microseconds unless a name says otherwise,
// memory in bytes, speeds in bit/s. Values of the objective are in its own unit:
// ticks (makespan), weight x ticks (weighted_completion), weighted iterations per
// tick (throughput), a fraction (max_min_throughput). What is not known is null.

/** One mistake in an instance or a schedule. Lines and columns count from 1; 0 is unknown. */
export interface Problem {
  path: string
  subject?: string
  line: number
  column: number
  message: string
}

export type ObjectiveName = 'makespan' | 'weighted_completion' | 'throughput' | 'max_min_throughput'
export type PlanStatus = 'optimal' | 'feasible' | 'infeasible' | 'limit' | 'unknown'

/** A compiled instance: what the planner sees. Arrays are indexed by the ids that others refer to. */
export interface Compiled {
  name: string
  lesson: string
  digest: string
  tick_us: number
  objective: ObjectiveName
  periodic: boolean
  /** Jobs hold memory only while they run, and wait for it. */
  queues: boolean
  /** Of the short form of a cluster a text per rack group; for people. */
  types: { name: string; memory: number }[]
  racks: { name: string; nodes: number[] }[]
  /** places: of the GPUs in the node, where some are out of service; none is 0, 1, ... */
  nodes: { name: string; rack: number; type: number; first_gpu: number; gpus: number; places?: number[] }[]
  links: { name: string; kind: 'nic_up' | 'nic_down' | 'fabric' | 'trunk' | 'rack_up' | 'rack_down'; capacity: number; failed: boolean }[]
  latency: number
  /** n of every speed 1/n, ascending. */
  jobs: CompiledJob[]
}

export interface CompiledJob {
  name: string
  model: string
  batch: number
  workers: number
  gpus_per_worker: number
  iterations: number
  weight: number
  release: number
  /** 0: none. */
  deadline: number
  /** From the admission to the first task. */
  load: number
  gang: boolean
  within: 'cluster' | 'rack' | 'node'
  /** Jobs that differ by name only share a class. */
  class: number
  /** Index into the jobs of the file, whose `count` may stand for several. */
  source: number
  /** Allowed depths, ascending; the last is full. share: of the full backward pass, 0..1. */
  depths: { layers: number; share: number }[]
  /** Parameter bytes back-propagated at depth s and not at depth s-1. */
  segment_bytes: number[]
  /** How often a synchronisation reduces gradients, and sends parameters to all: 1 but for sharded jobs. */
  reductions: number
  gathers: number
  rule: { fixed: number[] | null; min_full: number; min_share: number }
  /** By GPU type; null where the job may not run. Lists by depth. */
  on: ({ time: number[]; persistent: number; ephemeral: number[] } | null)[]
}

/** A schedule in columns. Row i of `tasks` is one task; lists by name have equal lengths. */
export interface Schedule {
  /** 0 for a plan that runs once. */
  period: number
  /** By job, GPU ids ascending. */
  residency: number[][]
  tasks: {
    job: Int32Array
    /** From 1. */
    iteration: Int32Array
    gpu: Int32Array
    /** Index into the job's depths. */
    depth: Int32Array
    start: Float64Array
    end: Float64Array
  }
  syncs: {
    job: Int32Array
    iteration: Int32Array
    /** n of the speed 1/n. */
    rate: Int32Array
    start: Float64Array
    end: Float64Array
  }
  /** By job: the links its synchronisations cross, how often, and the speed at level 1 in bit/s. */
  spans: { parties: number; slowest: number; links: { link: number; times: number }[] }[]
}

/**
 * A plan of hours, in blocks: patterns that repeat. Lists by job. A job is in memory from
 * `admitted` to `end`; its first task starts at `start`.
 */
export interface LongPlan {
  residency: number[][]
  admitted: Float64Array
  start: Float64Array
  end: Float64Array
  /** Time from release to end over that of the job alone; 0: not known. */
  slowdown: Float64Array
  blocks: Block[]
  spans: Schedule['spans']
  /** In a sentence when each job ends and why; empty where the jobs are thousands. */
  why: string[]
  /** The jobs that the plan ends with, late to early, and why each did not come sooner. */
  chain: { job: number; text: string }[]
}

/** A pattern that is done `repeats` times, each a `period` after the last. Its times count from `start`, its iterations from 1. */
export interface Block {
  start: number
  period: number
  repeats: number
  tasks: Schedule['tasks']
  syncs: Schedule['syncs']
}

/** What a schedule uses, until its makespan or within its period. */
export interface Usage {
  span: number
  gpu_share: Float64Array
  /** Peak bytes, by GPU. */
  gpu_memory: Float64Array
  link_share: Float64Array
  mean_gpu: number
}

/** One element of a critical chain, from late to early: it could not start sooner because of `because`. */
export interface ChainLink {
  kind: 'task' | 'sync'
  /** Row of the schedule's tasks or syncs. */
  index: number
  /** task_before: the GPU was busy with the next element of the chain. Others likewise; load, release and start end a chain. */
  because: 'task_before' | 'sync_before' | 'task_of_iteration' | 'link_busy' | 'gang' | 'memory' | 'load' | 'release' | 'start' | 'slack'
  /** In words, with names and times. */
  text: string
}

/** The state of a plan that is being made. */
export interface PlanPoint {
  elapsed_ms: number
  /** What is new: greedy, search, fluid, columns, ... */
  event: string
  primal: number | null
  dual: number | null
  columns: number
  nodes: number
}

export interface PlanOptions {
  text: string
  seed: number
  /** true: greedy and the quick bounds only. */
  quick?: boolean
  /** Fixed work; 0 is 1. */
  effort?: number
  /** 0: a fixed amount of work, the same answer on every machine. */
  time_ms?: number
  /** Part of the optimum, like 0.01. */
  gap?: number
}

/** Everything about a finished, or stopped, plan. */
export interface PlanResult {
  status: PlanStatus
  objective: ObjectiveName
  primal: number | null
  dual: number | null
  certified: boolean
  gap: number | null
  efficiency: number | null
  baselines: Record<'queue' | 'exclusive' | 'interleaved_full' | 'greedy', { value: number | null; efficiency: number | null; reason: string }>
  bounds: { kind: string; value: number; certified: boolean }[]
  /** The bound that binding is about: the strongest that tells; it may be weaker than dual. */
  binding_bound: { kind: string; value: number; certified: boolean } | null
  binding: Binding[]
  reasons: string[]
  notes: string[]
  series: PlanPoint[]
  schedule: Schedule | null
  /** A plan in blocks; where it is short, schedule is the same written out. */
  long: LongPlan | null
  usage: Usage | null
  /** The chain that ends with the plan's last completion; empty without one. */
  chain: ChainLink[]
  /** By job, ticks (or, periodic, iterations per period). */
  completion: number[]
  /** Where GPU types have prices. */
  cost: PlanCost | null
  /** The certificate of the bound as JSON, if there is one. */
  certificate: string | null
  /** With which options it was made. */
  seed: number
  quick: boolean
  effort: number
  elapsed_ms: number
  /** The run was stopped before its end: best so far. */
  stopped: boolean
}

/** What a plan costs, and what none costs less than; of a plan that repeats, an hour of it. */
export interface PlanCost {
  plan: number | null
  at_least: number | null
}

/** One limit that a bound depends on. effect: relative change of the bound per relative growth. */
export interface Binding {
  resource: 'gpu' | 'nic' | 'uplink' | 'fabric' | 'memory' | 'job' | 'time' | string
  subject: string
  text: string
  effect: number
  lower?: number
  upper?: number
}

/** What a change of the cluster would do. */
export interface WhatIfChange {
  kind: 'add_gpu' | 'fail_gpu' | 'network' | 'link_speed' | 'cut_link' | 'memory' | 'speed' | 'drop_job' | 'fail_node'
  /** A node, link, GPU type or job, by name; empty for network. */
  subject: string
  /** network, link_speed, memory and speed: 1.1 is 10 % more. */
  factor?: number
}
export interface WhatIfAnswer {
  change: WhatIfChange
  /** Relative change of the bound that the prices predict; null where they do not tell. */
  predicted: number | null
  /** That of the bounds before and after, solved anew. */
  verified: number | null
  /** Plan values before and after, same options. */
  plan_before: number | null
  plan_after: number | null
  reasons: string[]
}

/** A link, in one direction, or a node that is lost, by name. */
export interface Failure { link?: string; node?: string }
/** What failures do to a plan. */
export interface Harm {
  failures: Failure[]
  /** Jobs that lost a GPU, or whose synchronisations used a link that failed; of these, who has to move. */
  touched: string[]
  moved?: string[]
  /** The plan carried over at once, in its order; null where it cannot be, which unrepaired explains. */
  repaired: number | null
  unrepaired?: string
  /** The best plan found, and what no plan beats. */
  replanned: number | null
  dual_bound: number | null
  certified: boolean
  /** Why there is no plan at all, if that was proven. */
  infeasible?: string[]
}
/** What the failure of each link and node does, the greatest harm first. All plans are quick ones. */
export interface ResilienceAnswer {
  objective: ObjectiveName
  /** null where there is no plan that could fail. */
  plan: number | null
  dual_bound: number | null
  certified: boolean
  cases: number
  /** Called off: harm has fewer than there are cases. */
  interrupted?: boolean
  harm: Harm[]
  /** The network, coloured by harm, as SVG; links have their names as data-link, nodes as data-node. */
  picture: string
}
/** How many of how many cases are done. */
export interface Progress { done: number; of: number }

/**
 * Burst-parallel jobs, and the background jobs that run where those idle. Rates are in GPUs' worth of time.
 * Without a plan, reasons say why.
 */
export interface BurstAnswer {
  status: PlanStatus
  jobs: BurstJob[]
  background: BackgroundJob[]
  /** What the background has together, and at most, however these plans are delayed. */
  rate: number
  bound: number
  notes: string[]
  reasons: string[]
}
export interface BurstJob {
  name: string
  node: string
  gpus: number
  /** By stage. */
  stages: number[]
  /** Of an iteration: on one GPU, with every layer on all of them, in bursts. */
  one_gpu_ns: number
  data_parallel_ns: number
  time_ns: number
  gpu_time_ns: number
  /** Of an iteration that the background delays, and over time_ns. */
  period_ns: number
  slowdown: number
  /** One period, as SVG. */
  picture: string
}
export interface BackgroundJob {
  name: string
  /** Empty: no GPU has room. */
  node: string
  gpu: number
  /** Over that of the job alone. */
  rate: number
  per_second: number
}
/** Numbers of workers of these jobs, of which so many combinations were tried, best first, and the file with the first, as plain JSON. */
export interface MoldAnswer {
  jobs: string[]
  tried: MoldTry[]
  choices: number
  spec: unknown
  tick_us: number
  /** Ticks: what no plan with any numbers ends before. */
  bound: number | null
}
/** Workers by job, and when the quick plan with them ends, in ticks; null without one. */
export interface MoldTry { workers: number[]; value: number | null }

/** A change of the file, in words, and the file with it, as plain JSON. */
export interface Remedy { text: string; spec: unknown }

export interface ProfileInfo {
  model: string
  gpu: string
  batch: number
  /** Of a worker: the profile is that of all of them. */
  gpus: number
  source: { repository: string; commit: string; file: string; licence: string; note?: string } | null
  /** From what it was worked out; empty if it was measured. */
  estimated: string
  layers: { name: string; forward_ns: number; backward_ns: number; parameters: number; activations: number; joined: boolean }[]
}

/** A model that nobody measured: a Hugging Face config.json as text, the figures of a transformer, or a config.json with other figures in the place of its own. */
export interface EstimateParams {
  /** The scenario, whose GPU types the estimates are for. */
  text: string
  model: string
  config?: string
  architecture?: Architecture
  batch: number
  /** 0 or none: the longest that the model takes, at most 2048. */
  sequence?: number
  /** fp32, tf32, fp16 or bf16; none: what models are trained in on all of the GPUs. */
  precision?: string
  checkpointing?: boolean
  /** GPUs of a worker, which share every layer; none: 1. */
  gpus_per_worker?: number
}
/** 0 is left to the family. */
export interface Architecture {
  type: string
  layers: number
  hidden: number
  heads: number
  kv_heads: number
  ffn: number
  vocabulary: number
  positions: number
}
export interface EstimateResult {
  architecture: Architecture
  /** As they stand in instance files, one for each GPU type that is known. */
  profiles: unknown
  estimates: Estimate[]
  /** GPU types whose figures are not known. */
  missing: string[]
}
export interface Estimate {
  gpu: string
  parameters: number
  /** Parameters that a token meets: of experts, some. */
  active: number
  forward_ms: number
  backward_ms: number
  activations: number
  /** Model FLOPs utilisation. */
  mfu: number
}

/** A scenario that is kept. revision grows by one at each put of another text; a new view replaces the last. */
export interface Scenario {
  id: string
  name: string
  revision: number
  /** Milliseconds since 1970, of the page's clock. */
  saved_ms: number
  text: string
  /** What the page shows beside the text; JSON, opaque to the store. */
  view: string
}
export interface ScenarioHead { id: string; name: string; revision: number; saved_ms: number }

/** The export formats; schedule formats need the plan's schedule. */
export type ExportFormat = 'yaml' | 'json' | 'mps' | 'lp' | 'svg' | 'csv' | 'trace' | 'schedule' | 'result'

/** Every method: its parameters and what comes back. */
export interface Methods {
  version: { params: Record<string, never>; result: { version: string; engine: string; engine_missing: string } }
  profiles: { params: Record<string, never>; result: ProfileInfo[] }
  estimate: { params: EstimateParams; result: EstimateResult }
  schema: { params: { kind: 'instance' | 'schedule' | 'result' }; result: unknown }
  /** Never fails for a bad text: then instance is null and problems say why. special: instance is null, and that method compiles and plans it. spec is the file as plain JSON, where it could be read. */
  compile: { params: { text: string }; result: { instance: Compiled | null; spec: unknown; problems: Problem[]; special?: Special } }
  /** Of burst-parallel jobs. A file that cannot be compiled is an error with problems. */
  plan_bursts: { params: { text: string }; result: BurstAnswer }
  /** Chooses the workers of moldable jobs. */
  mold: { params: PlanOptions; result: MoldAnswer }
  /** Streams PlanEvent. */
  plan: { params: PlanOptions; result: PlanResult }
  explain: { params: { text: string; schedule: ScheduleRef; job?: number }; result: { chain: ChainLink[] } }
  what_if: { params: PlanOptions & { change: WhatIfChange }; result: WhatIfAnswer }
  /** The file with changes that are each about something else, as plain JSON; it may have problems. */
  change: { params: { text: string; changes: WhatIfChange[] }; result: { spec: unknown } }
  /** Changes, each by itself, with which an instance without a plan gets one: a plan was found with each. */
  remedies: { params: { text: string }; result: { remedies: Remedy[] } }
  /** Streams PlanEvent with progress. Called off, it answers with the cases that were looked at. */
  resilience: { params: { text: string; seed: number }; result: ResilienceAnswer }
  /** Which rules a schedule breaks, and else its value; it need not be in order. */
  judge: { params: { text: string; schedule: ScheduleRef }; result: { violations: { rule: string; message: string }[]; value: number | null } }
  export: { params: { text: string; format: ExportFormat; schedule?: ScheduleRef; bound?: number; certified?: boolean }; result: { name: string; mime: string; data: string } }
  store_list: { params: Record<string, never>; result: { persistent: boolean; reason: string; scenarios: ScenarioHead[] } }
  store_get: { params: { id: string }; result: Scenario | null }
  /** base: the revision the change was made on; 0 for a new scenario. A conflict keeps both: the change under a new id, and conflict is true. persistent: it will outlast the page; see store_list. */
  store_put: { params: { id: string; text: string; view: string; base: number; now_ms: number }; result: { scenario: ScenarioHead; conflict: boolean; persistent: boolean } }
  store_remove: { params: { id: string }; result: boolean }
  /** The last 20 revisions, newest first. */
  store_history: { params: { id: string }; result: Scenario[] }
}
/** The method that plans a file which plan does not. */
export type Special = 'plan_bursts' | 'mold'
export type Method = keyof Methods

/** A schedule in the columns above. */
export type ScheduleRef = Schedule

export interface Request { id: number; method: Method; params: unknown }
export interface Cancel { id: number; cancel: true }
export interface Reply { id: number; data?: unknown; error?: { code: ErrorCode; message: string; problems?: Problem[] } }
/** invalid: the caller's mistake, with problems; cancelled; internal: a fault of JigSaw, recovered. */
export type ErrorCode = 'invalid' | 'cancelled' | 'internal' | 'unknown_method'
/** Sent while plan runs; a new incumbent brings its schedule, at most ten times a second. */
export interface PlanEvent { id: number; event: PlanPoint; schedule?: Schedule; long?: LongPlan; progress?: Progress }
/** The first message of a worker. */
export interface Ready { ready: true; version: string; engine: string; engine_missing: string }
