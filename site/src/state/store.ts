// The one store of the page: the text of the scenario is the truth, all else follows from it.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Compiled, ExampleInfo, Problem, ProfileInfo, Ready } from '../engine/api'
import type { Engine } from '../engine/client'
import type { Selection, TimeRange } from '../views/props'
import { Planning } from './planning'
import { ScenarioText } from './text'

/** An instance text as the core read it. */
export interface Reading {
  text: string
  instance: Compiled | null
  /** The file as plain JSON, where it could be read; the last that could. */
  spec: unknown
  problems: Problem[]
}

/** How the scenario shows. */
export type ScenarioMode = 'form' | 'both' | 'yaml'

/** Rest after a change before it is read, in ms. */
export const debounce = 80

export class Store {
  readonly text: ScenarioText
  readonly reading: Signal<Reading>
  readonly planning: Planning
  readonly ready = signal<Ready | null>(null)
  /** Why there is no engine. */
  readonly broken = signal('')
  readonly examples = signal<ExampleInfo[]>([])
  readonly profiles = signal<ProfileInfo[]>([])
  readonly schema = signal<unknown>(null)
  readonly seed = signal(0)
  readonly effort = signal(1)
  readonly selection = signal<Selection | null>(null)
  readonly range = signal<TimeRange | null>(null)
  readonly scenarioMode = signal<ScenarioMode>('form')
  /** Said by screen readers and shown in the status line. */
  readonly status = signal('')
  private readonly engineSignal = signal<Engine | null>(null)
  private readonly proxy: Engine = {
    call: (method, params, options) => {
      const engine = this.engineSignal.peek()
      return engine
        ? engine.call(method, params, options)
        : this.waiting.then(e => e.call(method, params, options))
    },
  }
  private readonly waiting: Promise<Engine>
  private arrive!: (engine: Engine) => void
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(text: string) {
    this.text = new ScenarioText(text)
    this.reading = signal<Reading>({ text: '', instance: null, spec: null, problems: [] })
    this.waiting = new Promise(resolve => {
      this.arrive = resolve
    })
    this.planning = new Planning(this.proxy, () => ({ seed: this.seed.value, effort: this.effort.value }))
    effect(() => {
      void this.text.text.value
      clearTimeout(this.timer)
      this.timer = setTimeout(() => void this.read(), this.reading.peek().text === '' ? 0 : debounce)
    })
  }

  /** Calls wait until the engine is there. */
  get engine(): Engine {
    return this.proxy
  }

  get hasEngine(): ReadonlySignal<Engine | null> {
    return this.engineSignal
  }

  /** The engine has come. */
  attach(engine: Engine): void {
    this.engineSignal.value = engine
    this.arrive(engine)
  }

  /** Plans the text as it is, thoroughly. */
  async plan(): Promise<void> {
    clearTimeout(this.timer)
    const reading = await this.read(false)
    if (reading?.instance) await this.planning.start(reading.text, reading.instance, true)
  }

  /** Has the core read the text, and plans it where something in it changed. */
  private async read(andPlan = true): Promise<Reading | undefined> {
    const text = this.text.text.peek()
    const former = this.reading.peek()
    const answer = await this.proxy.call('compile', { text })
    if (this.text.text.peek() !== text) return
    const reading: Reading = { text, ...answer, spec: answer.spec ?? former.spec }
    batch(() => {
      this.reading.value = reading
      this.status.value =
        answer.problems.length > 0 ? `${count(answer.problems.length, 'problem')} in the scenario` : ''
    })
    const shown = this.planning.view.peek()
    if (andPlan && answer.instance && shown?.instance.digest !== answer.instance.digest)
      void this.planning.start(text, answer.instance)
    return reading
  }
}

export const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
