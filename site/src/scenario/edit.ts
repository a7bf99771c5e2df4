// The changes that the forms make to the scenario's text.
import type { ScenarioText } from '../state/text'
import { type Fields, fields, freshName, list, number, type Sizes, text } from './spec'
import { duplicate, insert, type Json, move, parse, set } from './yaml/patch'
import type { Path } from './yaml/path'

/** A cluster's lists of what is out of service. */
export type FailedList = 'failed_links' | 'failed_nodes' | 'failed_gpus'

export class ScenarioEdit {
  constructor(private readonly source: ScenarioText) {}

  private change(next: (text: string) => string): void {
    this.source.edit(next(this.source.text.peek()))
  }

  /** undefined removes the key. */
  set(path: Path, value: Json | undefined): void {
    this.change(source => set(source, path, value))
  }

  /** Sets a key whose default need not be written. */
  setUnless(path: Path, value: Json, otherwise: Json): void {
    this.set(path, value === otherwise ? undefined : value)
  }

  addJob(model: string): void {
    this.change(source => {
      const jobs = jobNames(source)
      return insert(source, ['jobs'], jobs.length, {
        name: freshName(model.replace(/[^\w-]/g, '-') || 'job', jobs),
        model,
        workers: 2,
        iterations: 10,
      })
    })
  }

  /** Sets another model, with GPUs per worker and a batch size for which it is profiled; the batch size is written only if there are several. */
  setModel(job: number, model: string, sizes: Sizes): void {
    this.change(source => {
      const former = fields(list(fields(parse(source)).jobs)[job])
      const had = number(former.gpus_per_worker, 0) || 1
      const gpus = sizes.has(had) ? had : ([...sizes.keys()][0] ?? had)
      const now = number(former.batch, 0)
      const batches = sizes.get(gpus) ?? []
      const batch = batches.length > 1 ? (batches.includes(now) ? now : batches.at(-1)) : undefined
      const grouped = set(source, ['jobs', job, 'gpus_per_worker'], gpus > 1 ? gpus : undefined)
      return set(set(grouped, ['jobs', job, 'model'], model), ['jobs', job, 'batch'], batch)
    })
  }

  /** The allowed depths, in layers, which replace their number; none: the number applies again. */
  setDepths(job: number, depths: readonly number[]): void {
    this.change(source => {
      const spb = ['jobs', job, 'spb']
      if (depths.length === 0) return set(source, [...spb, 'depths'], undefined)
      return set(set(source, [...spb, 'depths'], [...depths]), [...spb, 'cuts'], undefined)
    })
  }

  copyJob(index: number): void {
    this.change(source => {
      const jobs = jobNames(source)
      return duplicate(source, ['jobs'], index, { name: freshName(`${jobs[index] ?? 'job'}-copy`, jobs) })
    })
  }

  moveJob(from: number, to: number): void {
    const count = jobNames(this.source.text.peek()).length
    if (from === to || to < 0 || to >= count) return
    this.change(source => move(source, ['jobs'], from, to))
  }

  /** The last job stays: an instance has at least one. */
  removeJob(index: number): void {
    if (jobNames(this.source.text.peek()).length > 1) this.set(['jobs', index], undefined)
  }

  /** Replaces a GPU type everywhere in the file, with its memory if that is known. */
  setGPU(type: number, gpu: string, memory: string | undefined): void {
    this.change(source => {
      const of = cluster(source)
      const former = text(fields(list(of.gpu_types)[type]).name)
      let next = set(source, ['cluster', 'gpu_types', type, 'name'], gpu)
      if (memory) next = set(next, ['cluster', 'gpu_types', type, 'memory'], memory)
      for (const part of ['racks', 'nodes'])
        list(of[part]).forEach((place, i) => {
          if (text(fields(place).gpu) === former) next = set(next, ['cluster', part, i, 'gpu'], gpu)
        })
      return next
    })
  }

  addRack(): void {
    this.change(source => {
      const racks = list(fields(cluster(source)).racks)
      const like = fields(racks.at(-1))
      return insert(source, ['cluster', 'racks'], racks.length, like)
    })
  }

  /** Puts something out of service, or back into service. */
  fail(what: FailedList, name: string, failed: boolean): void {
    this.change(source => {
      const others = list(cluster(source)[what])
        .map(text)
        .filter(other => other !== name)
      const next = failed ? [...others, name] : others
      return set(source, ['cluster', what], next.length > 0 ? next : undefined)
    })
  }
}

const cluster = (source: string): Fields => fields(fields(parse(source)).cluster)
const jobNames = (source: string): string[] =>
  list(fields(parse(source)).jobs).map(job => text(fields(job).name))
