// Plans of any size for tests and for measuring the views: valid by the rules that matter for a
// picture (no GPU runs two tasks at once, no link exceeds its capacity), made by a simple list
// scheduler from a seed.

import type {
  ChainLink,
  Compiled,
  CompiledJob,
  PlanResult,
  ProfileInfo,
  Schedule,
  Usage,
} from '../src/engine/api'

export interface FixtureOptions {
  racks: number
  nodes: number
  gpus: number
  jobs: number
  /** The approximate number of tasks. */
  tasks: number
  seed: number
  /** Whether the plan repeats; then some of it crosses the period's boundary. */
  periodic?: boolean
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function random(seed: number): () => number {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const MODELS = ['vgg16', 'resnet50', 'inception_v3', 'gnmt', 'alexnet', 'bert']
const GIB = 2 ** 30

export function instanceOf(o: FixtureOptions): Compiled {
  const next = random(o.seed)
  const nodes: Compiled['nodes'] = []
  const racks: Compiled['racks'] = []
  const links: Compiled['links'] = []
  for (let r = 0; r < o.racks; r++) {
    const ids: number[] = []
    for (let n = 0; n < o.nodes; n++) {
      const name = o.racks > 1 ? `r${r}n${n}` : `n${n}`
      ids.push(nodes.length)
      links.push(
        { name: `${name}.up`, kind: 'nic_up', capacity: 25e9, failed: false },
        { name: `${name}.down`, kind: 'nic_down', capacity: 25e9, failed: false },
        { name: `${name}.fabric`, kind: 'fabric', capacity: 400e9, failed: false },
      )
      nodes.push({ name, rack: r, type: 0, first_gpu: nodes.length * o.gpus, gpus: o.gpus })
    }
    racks.push({ name: `rack${r}`, nodes: ids })
  }
  const total = nodes.length * o.gpus
  const jobs: CompiledJob[] = []
  const sizes = Array.from({ length: o.jobs }, () =>
    Math.min([1, 2, 4, 4, 8][Math.floor(next() * 5)]!, total),
  )
  const iterations = Math.max(Math.round(o.tasks / sizes.reduce((a, b) => a + b, 0)), 1)
  for (let j = 0; j < o.jobs; j++) {
    const model = MODELS[j % MODELS.length]!
    const full = 80 + Math.floor(next() * 300)
    jobs.push({
      name: `${model}${j}`,
      model,
      batch: 32,
      workers: sizes[j]!,
      gpus_per_worker: 1,
      iterations,
      weight: 1,
      release: j % 7 === 3 ? 400 : 0,
      deadline: 0,
      load: 0,
      gang: false,
      within: 'cluster',
      class: j % MODELS.length,
      source: j,
      depths: [0.25, 0.5, 0.75, 1].map(share => ({ layers: Math.round(share * 20), share })),
      segment_bytes: [4e6, 9e6, 40e6, 120e6],
      reductions: 1,
      gathers: 1,
      rule: { fixed: null, min_full: 1, min_share: 0.5 },
      on: [
        {
          time: [0.55, 0.7, 0.85, 1].map(s => Math.round(full * s)),
          persistent: 2 * GIB,
          ephemeral: [1, 2, 3, 4].map(n => n * GIB),
        },
      ],
    })
  }
  return {
    name: 'fixture',
    lesson: '',
    digest: String(o.seed),
    tick_us: 1000,
    objective: o.periodic ? 'throughput' : 'makespan',
    periodic: o.periodic ?? false,
    queues: false,
    types: [{ name: 'v100', memory: 32 * GIB }],
    racks,
    nodes,
    links,
    latency: 1,
    jobs,
  }
}

export function scheduleOf(instance: Compiled, o: FixtureOptions): Schedule {
  const next = random(o.seed + 1)
  const total = instance.nodes.reduce((n, node) => n + node.gpus, 0)
  const load = new Float64Array(total)
  const residency = instance.jobs.map(job => {
    // Whole nodes if possible, the least loaded first.
    const start = Array.from(
      { length: Math.max(Math.floor(total / job.workers), 1) },
      (_, i) => i * job.workers,
    )
    start.sort((a, b) => load[a]! - load[b]! || a - b)
    const gpus = Array.from({ length: job.workers }, (_, i) => start[0]! + i)
    for (const g of gpus) load[g]! += job.iterations * job.on[0]!.time[3]!
    return gpus
  })
  const spans = residency.map(gpus => {
    const nodes = [
      ...new Set(gpus.map(g => instance.nodes.findIndex(n => g >= n.first_gpu && g < n.first_gpu + n.gpus))),
    ]
    if (gpus.length === 1) return { parties: 1, slowest: 0, links: [] }
    if (nodes.length === 1)
      return { parties: gpus.length, slowest: 400e9, links: [{ link: nodes[0]! * 3 + 2, times: 1 }] }
    return {
      parties: nodes.length,
      slowest: 25e9,
      links: nodes.flatMap(n => [
        { link: 3 * n, times: 1 },
        { link: 3 * n + 1, times: 1 },
      ]),
    }
  })
  const free = new Float64Array(total)
  // Each link has two lanes of half its speed.
  const lanes = instance.links.map(() => [0, 0])
  const ready = instance.jobs.map(job => job.release)
  const task = {
    job: [] as number[],
    iteration: [] as number[],
    gpu: [] as number[],
    depth: [] as number[],
    start: [] as number[],
    end: [] as number[],
  }
  const sync = {
    job: [] as number[],
    iteration: [] as number[],
    rate: [] as number[],
    start: [] as number[],
    end: [] as number[],
  }
  const most = Math.max(...instance.jobs.map(job => job.iterations))
  for (let i = 1; i <= most; i++)
    for (let j = 0; j < instance.jobs.length; j++) {
      const job = instance.jobs[j]!
      if (i > job.iterations) continue
      let ends = 0
      residency[j]!.forEach((gpu, w) => {
        const depth = w === 0 ? 3 : Math.floor(next() * 4)
        const start = Math.max(free[gpu]!, ready[j]!)
        const end = start + job.on[0]!.time[depth]!
        free[gpu] = end
        ends = Math.max(ends, end)
        task.job.push(j)
        task.iteration.push(i)
        task.gpu.push(gpu)
        task.depth.push(depth)
        task.start.push(start)
        task.end.push(end)
      })
      const uses = spans[j]!.links
      ready[j] = ends
      if (uses.length === 0) continue
      const lane = next() < 0.5 ? 0 : 1
      const both = next() < 0.4
      let start = ends
      for (const { link } of uses)
        start = Math.max(start, lanes[link]![lane]!, both ? lanes[link]![1 - lane]! : 0)
      const end = start + (both ? 30 : 60)
      for (const { link } of uses) {
        lanes[link]![lane] = end
        if (both) lanes[link]![1 - lane] = end
      }
      ready[j] = end
      sync.job.push(j)
      sync.iteration.push(i)
      sync.rate.push(both ? 1 : 2)
      sync.start.push(start)
      sync.end.push(end)
    }
  // A plan that runs once, shifted by part of its length and repeated, is a periodic one.
  const length = [...task.end, ...sync.end].reduce((a, b) => Math.max(a, b), 0)
  const period = o.periodic ? length : 0
  const shift = o.periodic ? Math.round(length * 0.37) : 0
  const shifted = (times: number[]) => Float64Array.from(times, t => t + shift)
  return {
    period,
    residency,
    spans,
    tasks: {
      job: Int32Array.from(task.job),
      iteration: Int32Array.from(task.iteration),
      gpu: Int32Array.from(task.gpu),
      depth: Int32Array.from(task.depth),
      start: shifted(task.start),
      end: shifted(task.end),
    },
    syncs: {
      job: Int32Array.from(sync.job),
      iteration: Int32Array.from(sync.iteration),
      rate: Int32Array.from(sync.rate),
      start: shifted(sync.start),
      end: shifted(sync.end),
    },
  }
}

export function makespanOf(s: Schedule): number {
  return Math.max(0, ...[s.tasks.end, s.syncs.end].map(list => list.reduce((a, b) => Math.max(a, b), 0)))
}

function usageOf(instance: Compiled, s: Schedule): Usage {
  const span = s.period || makespanOf(s)
  const total = instance.nodes.reduce((n, node) => n + node.gpus, 0)
  const gpu = new Float64Array(total)
  s.tasks.gpu.forEach((g, i) => {
    gpu[g]! += (s.tasks.end[i]! - s.tasks.start[i]!) / span
  })
  const link = new Float64Array(instance.links.length)
  s.syncs.job.forEach((j, i) => {
    for (const use of s.spans[j]!.links)
      link[use.link]! += (s.syncs.end[i]! - s.syncs.start[i]!) / s.syncs.rate[i]! / span
  })
  return {
    span,
    gpu_share: gpu,
    gpu_memory: new Float64Array(total).fill(21 * GIB),
    link_share: link,
    mean_gpu: gpu.reduce((a, b) => a + b, 0) / total,
  }
}

/** A chain back from the last end: the previous element on the GPU, or the previous iteration. */
function chainOf(instance: Compiled, s: Schedule): ChainLink[] {
  const chain: ChainLink[] = []
  let at = {
    kind: 'task' as 'task' | 'sync',
    index: s.tasks.end.indexOf(s.tasks.end.reduce((a, b) => Math.max(a, b), 0)),
  }
  while (chain.length < 10_000) {
    const list = at.kind === 'task' ? s.tasks : s.syncs
    const start = list.start[at.index]!
    const name = `${instance.jobs[list.job[at.index]!]!.name} · ${list.iteration[at.index]}`
    const link = (because: ChainLink['because'], text: string) => chain.push({ ...at, because, text })
    if (at.kind === 'sync') {
      const task = s.tasks.end.findIndex(
        (end, i) =>
          end === start &&
          s.tasks.job[i] === list.job[at.index] &&
          s.tasks.iteration[i] === list.iteration[at.index],
      )
      if (task < 0) {
        link('link_busy', `the sync of ${name} waits for a link`)
        break
      }
      link('task_of_iteration', `the sync of ${name} waits for its last task`)
      at = { kind: 'task', index: task }
      continue
    }
    const before = s.syncs.end.findIndex(
      (end, i) =>
        end === start &&
        s.syncs.job[i] === list.job[at.index] &&
        s.syncs.iteration[i] === list.iteration[at.index]! - 1,
    )
    const task = s.tasks.end.findIndex((end, i) => end === start && s.tasks.gpu[i] === s.tasks.gpu[at.index])
    if (before >= 0) {
      link('sync_before', `${name} waits for the sync before`)
      at = { kind: 'sync', index: before }
    } else if (task >= 0) {
      link('task_before', `${name} waits for its GPU`)
      at = { kind: 'task', index: task }
    } else {
      link(start === 0 ? 'start' : 'release', `${name} starts then`)
      break
    }
  }
  return chain
}

export function resultOf(instance: Compiled, s: Schedule): PlanResult {
  const span = s.period || makespanOf(s)
  const primal = instance.periodic ? 0.004 : span
  const dual = instance.periodic ? 0.0044 : Math.round(span * 0.93)
  const completion = instance.jobs.map((_, j) =>
    s.tasks.end.reduce((end, t, i) => (s.tasks.job[i] === j ? Math.max(end, t) : end), 0),
  )
  return {
    cost: null,
    status: 'feasible',
    objective: instance.objective,
    primal,
    dual,
    certified: true,
    gap: Math.abs(primal - dual) / primal,
    efficiency: 1.162,
    baselines: {
      queue: { value: primal * 1.91, efficiency: 0.608, reason: '' },
      exclusive: { value: primal * 1.68, efficiency: 0.691, reason: '' },
      interleaved_full: { value: primal * 1.29, efficiency: 0.902, reason: '' },
      greedy: { value: primal * 1.02, efficiency: 1.14, reason: '' },
    },
    bounds: [
      { kind: 'chain', value: dual * 0.8, certified: true },
      { kind: 'area', value: dual * 0.98, certified: true },
      { kind: 'fluid', value: dual, certified: true },
    ],
    binding_bound: { kind: 'fluid', value: dual, certified: true },
    binding: [
      {
        resource: 'gpu',
        subject: 'the GPUs of type v100',
        text: `the GPUs of type v100 limit the plan; 10 % more would lower the bound by 9.1 %`,
        effect: -0.91,
      },
      {
        resource: 'nic',
        subject: 'n0.up',
        text: 'the network card of n0 limits the plan; 10 % more would lower the bound by 0.4 %',
        effect: -0.04,
      },
    ],
    reasons: [],
    notes: [],
    schedule: s,
    long: null,
    usage: usageOf(instance, s),
    chain: chainOf(instance, s),
    completion,
    series: [
      { elapsed_ms: 1, event: 'chain', primal: null, dual: dual * 0.8, columns: 0, nodes: 0 },
      { elapsed_ms: 2, event: 'area', primal: null, dual: dual * 0.98, columns: 0, nodes: 0 },
      { elapsed_ms: 40, event: 'greedy', primal: primal * 1.07, dual: dual * 0.98, columns: 0, nodes: 0 },
      { elapsed_ms: 90, event: 'search', primal: primal * 1.03, dual: dual * 0.98, columns: 0, nodes: 0 },
      { elapsed_ms: 120, event: 'fluid', primal: primal * 1.03, dual, columns: 180, nodes: 0 },
      { elapsed_ms: 310, event: 'search', primal: primal * 1.01, dual, columns: 412, nodes: 1 },
      { elapsed_ms: 640, event: 'search', primal, dual, columns: 530, nodes: 7 },
    ],
    certificate: null,
    seed: 1,
    quick: false,
    effort: 1,
    elapsed_ms: 700,
    stopped: false,
  }
}

/** An instance with its plan. */
export function fixture(o: Partial<FixtureOptions> = {}): { instance: Compiled; result: PlanResult } {
  const options = { racks: 1, nodes: 2, gpus: 4, jobs: 5, tasks: 220, seed: 1, ...o }
  const instance = instanceOf(options)
  return { instance, result: resultOf(instance, scheduleOf(instance, options)) }
}

/** A profile of a job's model with layers of very different sizes. */
export function profileOf(model: string, seed = 1): ProfileInfo {
  const next = random(seed)
  return {
    model,
    gpu: 'v100',
    batch: 32,
    gpus: 1,
    source: null,
    estimated: '',
    layers: Array.from({ length: 20 }, (_, i) => ({
      name: `layer${i}`,
      forward_ns: Math.round(2e6 * next()),
      backward_ns: Math.round(4e6 * next() + 1e5),
      parameters: Math.round(10 ** (3 + 5 * next())),
      activations: 1e6,
      joined: false,
    })),
  }
}

/** The size for which frame times are promised: 1,024 GPUs and about 20,000 tasks. */
export function large(): { instance: Compiled; result: PlanResult } {
  return fixture({ racks: 16, nodes: 8, gpus: 8, jobs: 250, tasks: 20_000, seed: 7 })
}
