// The layout of the bars of a long plan: a band for each node, jobs on their GPUs. A job is drawn
// as one bar on adjacent GPUs. Jobs that share GPUs at the same time are slices of the rows they
// share, and rows are as high as their names need.
// The picture of the command line does the same (formulation/instance/view/hours.go).

import type { Compiled, LongPlan } from '../engine/api'

/** A job on adjacent GPUs; heights in pixels. */
export interface Bar {
  job: number
  /** The GPUs of the rows; if the job shares them, not all need be its own. */
  gpus: number
  y: number
  height: number
}

export interface Bands {
  bars: Bar[]
  /** By node. */
  nodes: { y: number; height: number }[]
  height: number
}

/** Height of a slice with a name; a picture higher than MOST is scaled down. */
const SLICE = 15
const ROOM = 640
const MOST = 3600
const GAP = 2

export function bandsOf(instance: Compiled, plan: LongPlan): Bands {
  const nodes = instance.nodes
  const nodeOf = nodes.flatMap((node, n) => Array.from({ length: node.gpus }, () => n))
  const gpus = nodeOf.length
  const least = Math.min(Math.max(ROOM / Math.max(gpus, 1), 0.5), SLICE)
  const heights = new Float64Array(gpus).fill(least)
  const runs = runsOf(nodeOf, plan)
  for (const run of runs)
    for (let g = run.first; g < run.end; g++)
      heights[g] = Math.max(heights[g]!, (SLICE * run.lanes) / (run.end - run.first))
  const sum = heights.reduce((a, b) => a + b, 0)
  const press = Math.min(1, MOST / Math.max(sum, 1))
  const top = new Float64Array(gpus + 1)
  const bottom = new Float64Array(gpus + 1)
  let at = 0
  const bands = nodes.map(node => {
    const y = at
    for (let g = node.first_gpu; g < node.first_gpu + node.gpus; g++) {
      top[g] = at
      at += heights[g]! * press
      bottom[g] = at
    }
    const height = at - y
    at += GAP * press
    return { y, height }
  })
  const bars = runs.flatMap(run => {
    const y = top[run.first]!
    const slice = (bottom[run.end - 1]! - y) / run.lanes
    return run.jobs.map(({ job, lane }) => ({
      job,
      gpus: run.end - run.first,
      y: y + slice * lane,
      height: slice,
    }))
  })
  return { bars, nodes: bands, height: at }
}

interface Run {
  first: number
  end: number
  jobs: { job: number; lane: number }[]
  lanes: number
}

/**
 * Adjacent GPUs that hold the same group of jobs, with a lane for each job. A lane is as wide as the run,
 * even if its job is not on all of the GPUs; but if other jobs are on them meanwhile, a run has only GPUs
 * with the same jobs. If several jobs share GPUs, a run is within one node.
 */
function runsOf(nodeOf: readonly number[], plan: LongPlan): Run[] {
  const all: number[][] = nodeOf.map(() => [])
  plan.residency.forEach((list, j) => {
    for (const gpu of list) all[gpu]?.push(j)
  })
  for (const jobs of all) jobs.sort((a, b) => plan.admitted[a]! - plan.admitted[b]! || a - b)
  const runs: Run[] = []
  for (const jobs of groupsOf(all, plan)) {
    const group = new Set(jobs)
    const from = Math.min(...jobs.map(j => plan.admitted[j]!))
    const to = Math.max(...jobs.map(j => plan.end[j]!))
    const ids = [...new Set(jobs.flatMap(j => plan.residency[j]!))].sort((a, b) => a - b)
    const others = (j: number) => !group.has(j) && plan.admitted[j]! < to && from < plan.end[j]!
    const alone = !ids.some(gpu => all[gpu]!.some(others))
    const own = new Map(ids.map(gpu => [gpu, all[gpu]!.filter(j => group.has(j))]))
    for (let i = 0; i < ids.length; ) {
      const first = ids[i]!
      let end = first
      const here = new Set<number>()
      const joins = (gpu: number) =>
        (jobs.length === 1 || nodeOf[gpu] === nodeOf[first]) &&
        (alone || own.get(gpu)!.join() === own.get(first)!.join())
      for (; ids[i] === end && joins(end); i++, end++) for (const job of own.get(end)!) here.add(job)
      runs.push({ first, end, ...lanesOf([...here], plan) })
    }
  }
  return runs
}

/** Sets of jobs that share a GPU at the same time, directly or through others. */
function groupsOf(all: readonly number[][], plan: LongPlan): number[][] {
  const parent = plan.residency.map((_, j) => j)
  const root = (j: number): number => {
    while (parent[j] !== j) {
      parent[j] = parent[parent[j]!]!
      j = parent[j]!
    }
    return j
  }
  for (const jobs of all) {
    let end = Number.NEGATIVE_INFINITY
    let last = -1
    for (const j of jobs) {
      if (plan.admitted[j]! < end) parent[root(j)] = root(last)
      if (plan.end[j]! > end) {
        end = plan.end[j]!
        last = j
      }
    }
  }
  const found = new Map<number, number[]>()
  plan.residency.forEach((list, j) => {
    if (list.length === 0) return
    const group = found.get(root(j))
    if (group) group.push(j)
    else found.set(root(j), [j])
  })
  return [...found.values()]
}

/** Jobs present at different times may share a lane. Lanes are near the GPUs of their jobs. */
function lanesOf(jobs: number[], plan: LongPlan): { jobs: Run['jobs']; lanes: number } {
  jobs.sort((a, b) => plan.admitted[a]! - plan.admitted[b]! || a - b)
  const ends: number[] = []
  const place: number[] = []
  const placed = jobs.map(job => {
    let lane = ends.findIndex(end => end <= plan.admitted[job]!)
    if (lane < 0) lane = ends.length
    ends[lane] = plan.end[job]!
    place[lane] ??= plan.residency[job]![0]!
    return { job, lane }
  })
  const order = place.map((_, lane) => lane).sort((a, b) => place[a]! - place[b]! || a - b)
  const rank = new Map(order.map((lane, r) => [lane, r]))
  return { jobs: placed.map(({ job, lane }) => ({ job, lane: rank.get(lane)! })), lanes: ends.length }
}
