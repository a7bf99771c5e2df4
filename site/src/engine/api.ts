// The contract between the page and the Go core: the messages between the page and a
// worker. The Go side is the folder wasm; its tests check both sides against the names in
// this file. Small things are plain objects; bulk data are typed arrays that are transferred.
//
// Units: times in ticks of `tick_us` microseconds unless a name says otherwise,
// memory in bytes, speeds in bit/s. Objective values are in the objective's own unit:
// ticks (makespan), weight x ticks (weighted_completion), weighted iterations per
// tick (throughput), a fraction (max_min_throughput). Unknown values are null.

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

/** A compiled instance: what the planner sees. Arrays are indexed by ids. */
export interface Compiled {
  name: string
  lesson: string
  digest: string
  tick_us: number
  objective: ObjectiveName
  periodic: boolean
  /** Whether jobs hold memory only while they run, and wait for it. */
  queues: boolean
  /** For the short form of a cluster, a text per rack group; for people. */
  types: { name: string; memory: number }[]
  racks: { name: string; nodes: number[] }[]
  /** places: the numbers of the GPUs in the node, given if some are out of service; otherwise 0, 1, ... */
  nodes: { name: string; rack: number; type: number; first_gpu: number; gpus: number; places?: number[] }[]
  links: { name: string; kind: 'nic_up' | 'nic_down' | 'fabric' | 'trunk' | 'rack_up' | 'rack_down'; capacity: number; failed: boolean }[]
  latency: number
  /** The n of each rate level 1/n, ascending. */
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
  /** Loading time, from admission to the first task. */
  load: number
  gang: boolean
  within: 'cluster' | 'rack' | 'node'
  /** Jobs that differ only in their names share a class. */
  class: number
  /** Index into the jobs of the file, where `count` may stand for several jobs. */
  source: number
  /** Allowed depths, ascending; the last is full. share: of the full backward pass, 0..1. */
  depths: { layers: number; share: number }[]
  /** Parameter bytes back-propagated at depth s and not at depth s-1. */
  segment_bytes: number[]
  /** How often a synchronisation reduces gradients and gathers parameters: 1 unless the job is sharded. */
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
    /** The n of the rate level 1/n. */
    rate: Int32Array
    start: Float64Array
    end: Float64Array
  }
  /** By job: the links that its synchronisations cross and how often, and the speed at level 1 in bit/s. */
  spans: { parties: number; slowest: number; links: { link: number; times: number }[] }[]
}

/**
 * A long plan, in blocks: patterns that repeat. Lists are by job. A job is in memory from
 * `admitted` to `end`; its first task starts at `start`.
 */
export interface LongPlan {
  residency: number[][]
  admitted: Float64Array
  start: Float64Array
  end: Float64Array
  /** Time from release to end, divided by the job's time alone; 0: unknown. */
  slowdown: Float64Array
  blocks: Block[]
  spans: Schedule['spans']
  /** When each job ends and why, in a sentence; empty if there are thousands of jobs. */
  why: string[]
  /** The chain of jobs that ends last, late to early, and why each did not start sooner. */
  chain: { job: number; text: string }[]
}

/** A pattern that runs `repeats` times, one every `period`. Its times count from `start`, its iterations from 1. */
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

/** An element of a critical chain, ordered from late to early; `because` is why it could not start sooner. */
export interface ChainLink {
  kind: 'task' | 'sync'
  /** Row of the schedule's tasks or syncs. */
  index: number
  /** task_before: the GPU was busy with the next element of the chain; others likewise. load, release and start end a chain. */
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
  /** true: only greedy and the quick bounds. */
  quick?: boolean
  /** Amount of fixed work; 0 means 1. */
  effort?: number
  /** 0: a fixed amount of work, the same answer on every machine. */
  time_ms?: number
  /** Relative to the optimum, like 0.01. */
  gap?: number
}

/** The result of a finished or stopped run. */
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
  /** The bound that binding is about: the strongest one with such information; it may be weaker than dual. */
  binding_bound: { kind: string; value: number; certified: boolean } | null
  binding: Binding[]
  reasons: string[]
  notes: string[]
  series: PlanPoint[]
  schedule: Schedule | null
  /** A plan in blocks; if it is short, schedule is the same plan written out. */
  long: LongPlan | null
  usage: Usage | null
  /** The chain that ends with the plan's last completion; empty if there is none. */
  chain: ChainLink[]
  /** By job, ticks (or, periodic, iterations per period). */
  completion: number[]
  /** Present if GPU types have prices. */
  cost: PlanCost | null
  /** The certificate of the bound as JSON, if there is one. */
  certificate: string | null
  /** The options of the run. */
  seed: number
  quick: boolean
  effort: number
  elapsed_ms: number
  /** Whether the run was stopped early: then this is the best so far. */
  stopped: boolean
}

/** What a plan costs, and the least that any plan costs; for a plan that repeats, per hour. */
export interface PlanCost {
  plan: number | null
  at_least: number | null
}

/** A limit that a bound depends on. effect: relative change of the bound per relative growth of the limit. */
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
  /** Relative change of the bound predicted by the dual prices; null if they do not say. */
  predicted: number | null
  /** Relative change of the bound when it is computed again. */
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
  /** Jobs that lost a GPU, or whose synchronisations used a failed link; and those of them that have to move. */
  touched: string[]
  moved?: string[]
  /** The plan repaired at once, keeping its order; null if that is impossible, which unrepaired explains. */
  repaired: number | null
  unrepaired?: string
  /** The best plan found, and the bound. */
  replanned: number | null
  dual_bound: number | null
  certified: boolean
  /** Why there is no plan at all, if that was proven. */
  infeasible?: string[]
}
/** The effect of the failure of each link and node, greatest harm first. All plans are quick plans. */
export interface ResilienceAnswer {
  objective: ObjectiveName
  /** null if there is no plan. */
  plan: number | null
  dual_bound: number | null
  certified: boolean
  cases: number
  /** Whether it was stopped: harm has fewer entries than there are cases. */
  interrupted?: boolean
  harm: Harm[]
  /** The network, coloured by harm, as SVG; links carry their names as data-link, nodes as data-node. */
  picture: string
}
/** How many of how many cases are done. */
export interface Progress { done: number; of: number }

/**
 * A plan of burst-parallel jobs and of the background jobs that run on GPUs these leave idle. Rates are in
 * GPUs' worth of time. If there is no plan, reasons say why.
 */
export interface BurstAnswer {
  status: PlanStatus
  jobs: BurstJob[]
  background: BackgroundJob[]
  /** The total rate of background jobs, and its upper bound over all timetables with these stages. */
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
  /** Time of an iteration: on one GPU, with every layer on all GPUs, in bursts. */
  one_gpu_ns: number
  data_parallel_ns: number
  time_ns: number
  gpu_time_ns: number
  /** Time of an iteration including delays by background jobs, and that divided by time_ns. */
  period_ns: number
  slowdown: number
  /** One period, as SVG. */
  picture: string
}
export interface BackgroundJob {
  name: string
  /** Empty if no GPU has room. */
  node: string
  gpu: number
  /** Relative to the job alone. */
  rate: number
  per_second: number
}
/** The combinations of numbers of workers that were tried, best first, and the file with the best one, as plain JSON. */
export interface MoldAnswer {
  jobs: string[]
  tried: MoldTry[]
  choices: number
  spec: unknown
  tick_us: number
  /** In ticks: no plan with any numbers of workers ends before. */
  bound: number | null
}
/** Workers by job, and when the quick plan with them ends, in ticks; null if there is none. */
export interface MoldTry { workers: number[]; value: number | null }

/** A change of the file, in words, and the file with it, as plain JSON. */
export interface Remedy { text: string; spec: unknown }

/** Changes that give an instance a plan. If several jobs have none by themselves, their number and changes each of which is enough for one; otherwise jobs is 0. */
export interface Remedies { remedies: Remedy[]; jobs: number }

export interface ProfileInfo {
  model: string
  gpu: string
  batch: number
  /** GPUs of a worker: the profile covers all of them. */
  gpus: number
  source: { repository: string; commit: string; file: string; licence: string; note?: string } | null
  /** What it was estimated from; empty if it was measured. */
  estimated: string
  layers: { name: string; forward_ns: number; backward_ns: number; parameters: number; activations: number; joined: boolean }[]
}

/** A model that was not measured: a Hugging Face config.json as text, the dimensions of a transformer, or a config.json with some dimensions replaced. */
export interface EstimateParams {
  /** The scenario, whose GPU types the estimates are for. */
  text: string
  model: string
  config?: string
  architecture?: Architecture
  batch: number
  /** 0 or absent: the longest that the model takes, at most 2048. */
  sequence?: number
  /** fp32, tf32, fp16 or bf16; absent: the default that all of the GPUs support. */
  precision?: string
  checkpointing?: boolean
  /** GPUs of a worker, which share every layer; absent: 1. */
  gpus_per_worker?: number
}
/** 0: the family's default. */
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
  /** As in instance files, one for each known GPU type. */
  profiles: unknown
  estimates: Estimate[]
  /** GPU types whose specifications are not known. */
  missing: string[]
}
export interface Estimate {
  gpu: string
  parameters: number
  /** Parameters active per token: only some experts. */
  active: number
  forward_ms: number
  backward_ms: number
  activations: number
  /** Model FLOPs utilisation. */
  mfu: number
}

/** A stored scenario. revision grows by one with each put of a different text; a new view replaces the last. */
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

/** The export formats; those of a schedule need the plan's schedule. */
export type ExportFormat = 'yaml' | 'json' | 'mps' | 'lp' | 'svg' | 'csv' | 'trace' | 'schedule' | 'result'

/** Every method: its parameters and its result. */
export interface Methods {
  version: { params: Record<string, never>; result: { version: string; engine: string; engine_missing: string } }
  profiles: { params: Record<string, never>; result: ProfileInfo[] }
  estimate: { params: EstimateParams; result: EstimateResult }
  schema: { params: { kind: 'instance' | 'schedule' | 'result' }; result: unknown }
  /** Never fails for an invalid text: then instance is null and problems say why. If special is set, instance is null and that method compiles and plans the text. spec is the file as plain JSON, if it could be read. */
  compile: { params: { text: string }; result: { instance: Compiled | null; spec: unknown; problems: Problem[]; special?: Special } }
  /** Plans burst-parallel jobs. A file that cannot be compiled is an error with problems. */
  plan_bursts: { params: { text: string }; result: BurstAnswer }
  /** Chooses the workers of moldable jobs. */
  mold: { params: PlanOptions; result: MoldAnswer }
  /** Streams PlanEvent. */
  plan: { params: PlanOptions; result: PlanResult }
  explain: { params: { text: string; schedule: ScheduleRef; job?: number }; result: { chain: ChainLink[] } }
  what_if: { params: PlanOptions & { change: WhatIfChange }; result: WhatIfAnswer }
  /** The file with several independent changes, as plain JSON; it may have problems. */
  change: { params: { text: string; changes: WhatIfChange[] }; result: { spec: unknown } }
  /** Changes each of which alone gives an instance without a plan one: a plan was found with each. */
  remedies: { params: { text: string }; result: Remedies }
  /** Streams PlanEvent with progress. If it is cancelled, it answers with the cases examined so far. */
  resilience: { params: { text: string; seed: number }; result: ResilienceAnswer }
  /** The rules that a schedule violates, or else its value; its rows may be in any order. */
  judge: { params: { text: string; schedule: ScheduleRef }; result: { violations: { rule: string; message: string }[]; value: number | null } }
  export: { params: { text: string; format: ExportFormat; schedule?: ScheduleRef; bound?: number; certified?: boolean }; result: { name: string; mime: string; data: string } }
  store_list: { params: Record<string, never>; result: { persistent: boolean; reason: string; scenarios: ScenarioHead[] } }
  store_get: { params: { id: string }; result: Scenario | null }
  /** base: the revision that was changed; 0 for a new scenario. A conflict keeps both: the change gets a new id, and conflict is true. persistent: it outlives the page; see store_list. */
  store_put: { params: { id: string; text: string; view: string; base: number; now_ms: number }; result: { scenario: ScenarioHead; conflict: boolean; persistent: boolean } }
  store_remove: { params: { id: string }; result: boolean }
  /** The last 20 revisions, newest first. */
  store_history: { params: { id: string }; result: Scenario[] }
}
/** The method that plans files that plan cannot. */
export type Special = 'plan_bursts' | 'mold'
export type Method = keyof Methods

/** A schedule in the columns above. */
export type ScheduleRef = Schedule

export interface Request { id: number; method: Method; params: unknown }
export interface Cancel { id: number; cancel: true }
export interface Reply { id: number; data?: unknown; error?: { code: ErrorCode; message: string; problems?: Problem[] } }
/** invalid: a mistake of the caller, with problems; cancelled; internal: a fault of JigSaw, recovered. */
export type ErrorCode = 'invalid' | 'cancelled' | 'internal' | 'unknown_method'
/** Sent while plan runs; a new incumbent brings its schedule, at most ten times a second. */
export interface PlanEvent { id: number; event: PlanPoint; schedule?: Schedule; long?: LongPlan; progress?: Progress }
/** The first message of a worker. */
export interface Ready { ready: true; version: string; engine: string; engine_missing: string }
