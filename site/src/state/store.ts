// The one store of the page: the scenario's text is the source of everything else.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type {
  Compiled,
  Methods,
  MoldAnswer,
  PlanResult,
  Problem,
  ProfileInfo,
  Ready,
  Remedy,
  WhatIfChange,
} from '../engine/api'
import type { Engine } from '../engine/client'
import type { Compared, ScenarioMode, Snapshot, Tab } from '../keep/snapshot'
import { adopt } from '../scenario/adopt'
import type { Json } from '../scenario/yaml/patch'
import { capital } from '../views/format'
import type { Selection, TimeRange } from '../views/props'
import { hasPlan, withSchedule } from '../views/shown'
import { fullDepth, hasPartial } from './depth'
import { Failures } from './failures'
import { Hand } from './hand'
import { keepColours, placeOf } from './identity'
import { Inquiry } from './inquiry'
import { Planning, type PlanView } from './planning'
import { SpecialPlans } from './special'
import { ScenarioText } from './text'

/** An instance text as the core read it. */
export interface Reading {
  text: string
  instance: Compiled | null
  /** The file of the last text that could be read, as plain JSON. */
  spec: unknown
  problems: Problem[]
}

/** A text without mistakes, as the core read it. */
export interface Sound {
  instance: Compiled
  spec: unknown
}

/** A plan kept for comparison, and what it was made from. */
export interface PinnedPlan {
  of: Compared
  instance: Compiled
  result: PlanResult
}

/** If changes follow each other faster than this, in ms, the text is read after a pause of this length. */
export const debounce = 80

/** How long the status line shows a message, in ms: enough to read two sentences. */
export const saidFor = 10_000

export class Store {
  readonly text: ScenarioText
  readonly reading: Signal<Reading>
  /** The last reading of this scenario without mistakes: it provides colours and completions while there are some. */
  readonly sound = signal<Sound | null>(null)
  readonly planning: Planning
  readonly inquiry: Inquiry
  readonly failures: Failures
  readonly hand: Hand
  readonly special: SpecialPlans
  /** The plan that others are compared with. */
  readonly pinned = signal<PinnedPlan | null>(null)
  /** What its plan is being computed from, for a link or a stored scenario. */
  readonly pinning = signal<Compared | null>(null)
  /** The tab below the timeline. */
  readonly tab = signal<Tab>('explain')
  /** The part shown on narrow screens. */
  readonly pane = signal<'scenario' | 'plan'>('plan')
  /** Whether the scenario is shown beside the plan, on wide screens. */
  readonly aside = signal(true)
  readonly ready = signal<Ready | null>(null)
  /** Bytes of the core loaded so far, unpacked. */
  readonly loaded = signal(0)
  /** Why nothing can be read: there is no engine, or it failed. */
  readonly broken = signal('')
  readonly profiles = signal<ProfileInfo[]>([])
  readonly schema = signal<unknown>(null)
  readonly seed = signal(0)
  readonly effort = signal(1)
  /** Whether jobs may leave layers out; off, the scenario is planned as if all were at full depth. */
  readonly spb = signal(true)
  /** The instance to plan; null until the text has been read, and while it has mistakes. */
  readonly target = signal<Compiled | null>(null)
  /** The scenario as written, and at full depth if that was asked for. */
  private ways: { written: Compiled | null; full: Compiled | null } = { written: null, full: null }
  readonly selection = signal<Selection | null>(null)
  readonly range = signal<TimeRange | null>(null)
  /** How the scenario is shown. */
  readonly scenarioMode = signal<ScenarioMode>('form')
  /** Whether the introduction for newcomers is shown. */
  readonly welcome = signal(false)
  /** Announced by screen readers and shown in the status line. */
  readonly status = signal('')
  /** The last change made to the cluster from a view: its description, the resulting text, and the plan before. */
  readonly made = signal<{ words: string; text: string; before: PlanView | null } | null>(null)
  /** An important message; stays until it is closed. */
  readonly alert = signal('')
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
  private refuse!: (reason: Error) => void
  private timer: ReturnType<typeof setTimeout> | undefined

  /** How often a scenario was opened: each is read anew, also one whose text is there already. */
  private readonly opened = signal(0)
  /** Identifies what was planned last, or is being planned: digest, seed and effort. */
  private planned = ''

  constructor() {
    this.text = new ScenarioText('')
    this.reading = signal<Reading>({ text: '', instance: null, spec: null, problems: [] })
    this.waiting = new Promise((resolve, reject) => {
      this.arrive = resolve
      this.refuse = reject
    })
    // Reported to whoever waits, which may be nobody.
    this.waiting.catch(() => {})
    const options = () => ({ seed: this.seed.peek(), effort: this.effort.peek() })
    this.planning = new Planning(this.proxy, options)
    this.inquiry = new Inquiry(this.proxy, this.planning.view, options)
    this.failures = new Failures(this.proxy, this.planning.view, () => this.seed.peek())
    this.hand = new Hand(this.proxy)
    this.special = new SpecialPlans(this.proxy, () => this.seed.peek())
    // Moves by hand belong to one scenario.
    effect(() => {
      const plan = this.hand.plan.value
      const digest = this.planning.view.value?.instance.digest
      if (plan && plan.instance.digest !== digest) this.hand.end()
    })
    let changed = Number.NEGATIVE_INFINITY
    effect(() => {
      void [this.text.text.value, this.seed.value, this.effort.value, this.spb.value]
      const opened = this.opened.value
      clearTimeout(this.timer)
      this.target.value = null
      if (opened === 0) return
      // A single change is read at once.
      const now = performance.now()
      this.timer = setTimeout(() => void this.read(), now - changed < debounce ? debounce : 0)
      changed = now
    })
    let said: ReturnType<typeof setTimeout> | undefined
    effect(() => {
      clearTimeout(said)
      if (this.status.value)
        said = setTimeout(() => {
          this.status.value = ''
        }, saidFor)
    })
    // The selection is a job, not an index in the list: it follows the job's name.
    let shown: Compiled | null = null
    effect(() => {
      const former = shown
      shown = this.planning.view.value?.instance ?? null
      if (!former || !shown || former === shown) return
      const follow = placeOf(former, shown)
      batch(() => {
        const selection = this.selection.peek()
        if (selection) {
          const job = follow(selection.job)
          this.selection.value = job === null ? null : { ...selection, job }
        }
        const asked = this.inquiry.job.peek()
        if (asked !== null) this.inquiry.job.value = follow(asked)
      })
    })
  }

  /** Calls wait until the engine is ready. */
  get engine(): Engine {
    return this.proxy
  }

  get hasEngine(): ReadonlySignal<Engine | null> {
    return this.engineSignal
  }

  /** Called when the engine is ready. */
  attach(engine: Engine): void {
    this.engineSignal.value = engine
    this.arrive(engine)
  }

  /** Called when there will be no engine. */
  fail(reason: Error): void {
    this.broken.value = reason.message
    this.refuse(reason)
  }

  /** Opens another scenario, with the view that it was stored or shared with. */
  open(snapshot: Snapshot): void {
    batch(() => {
      this.seed.value = snapshot.seed
      this.effort.value = snapshot.effort
      this.selection.value = snapshot.selection
      this.range.value = snapshot.range
      this.pinned.value = null
      this.pinning.value = snapshot.compared
      this.spb.value = snapshot.spb
      if (snapshot.tab) this.tab.value = snapshot.tab
      if (snapshot.mode) this.scenarioMode.value = snapshot.mode
      this.made.value = null
      this.status.value = ''
      this.inquiry.job.value = null
      this.sound.value = null
      this.text.open(snapshot.text)
      this.planned = ''
      this.opened.value++
    })
  }

  /** Whether it is the scenario at full depth instead of as written. */
  isFullDepth(instance: Compiled): boolean {
    return instance.digest === this.ways.full?.digest && instance.digest !== this.ways.written?.digest
  }

  /** The finished plan of the same jobs with SPB if this one is without, and vice versa. */
  counterpart(instance: Compiled): PlanView | null {
    const { written, full } = this.ways
    const other = this.isFullDepth(instance) ? written : instance.digest === written?.digest ? full : null
    return other && this.planning.recall(other)
  }

  /** The finished plan of the same jobs without SPB, or with it; it is made if it is not known. null: no job has SPB. */
  async beside({ instance }: PlanView, signal: AbortSignal): Promise<PlanView | null> {
    const { written } = this.ways
    const spec = this.sound.peek()?.spec
    if (this.isFullDepth(instance) && written)
      return this.planning.beside(this.text.text.peek(), written, signal)
    if (instance.digest !== written?.digest || !hasPartial(instance)) return null
    const text = fullDepth(spec)
    const full = this.ways.full ?? (await this.proxy.call('compile', { text }, { signal })).instance
    if (!full) return null
    keepColours(instance, full)
    if (this.ways.written === written) this.ways.full = full
    return this.planning.beside(text, full, signal)
  }

  /** Plans the current text thoroughly. */
  async plan(): Promise<void> {
    clearTimeout(this.timer)
    await this.read(true)
  }

  /** Stops planning and keeps the best plan so far. */
  stop(): void {
    this.planning.stop()
    this.special.stop()
  }

  /** Makes several independent changes in the scenario's text; words describe them together. */
  change(changes: readonly WhatIfChange[], words: string): Promise<void> {
    const text = this.text.text.peek()
    return this.adopt(text, words, async () => {
      const { spec } = await this.proxy.call('change', { text, changes: [...changes] })
      return spec
    })
  }

  /** Makes a change with which the current scenario has a plan. */
  mend({ text, spec }: Remedy): Promise<void> {
    return this.adopt(this.planning.view.peek()?.text ?? '', capital(text), async () => spec)
  }

  /** Writes the chosen numbers of workers into the scenario's text. */
  choose({ spec }: MoldAnswer, words: string): Promise<void> {
    return this.adopt(this.text.text.peek(), words, async () => spec)
  }

  /** Changes the scenario's text by the difference between `from` and the result of `next`. */
  private async adopt(from: string, words: string, next: () => Promise<unknown>): Promise<void> {
    const text = this.text.text.peek()
    try {
      const [{ spec: before }, after] = await Promise.all([
        this.proxy.call('compile', { text: from }),
        next(),
      ])
      // The text was changed meanwhile.
      if (this.text.text.peek() !== text) return
      batch(() => {
        this.text.edit(adopt(text, before as Json, after as Json), true)
        this.made.value = { words, text: this.text.text.peek(), before: this.planning.view.peek() }
      })
    } catch (error) {
      this.status.value = `Nothing was changed: ${error instanceof Error ? error.message : error}`
    }
  }

  /** Pins the current plan, to compare others with it. */
  pin(): void {
    const view = this.planning.view.peek()
    if (!view?.result || !hasPlan(view.result)) {
      this.status.value = this.special.view.peek()
        ? 'Plans of this kind can be neither pinned nor compared task by task.'
        : 'There is no plan to pin.'
      return
    }
    const label = view.instance.name || 'A'
    this.pinning.value = null
    this.pinned.value = {
      of: {
        label,
        text: view.text,
        seed: view.result.seed,
        effort: this.effort.peek(),
        quick: view.result.quick,
      },
      instance: view.instance,
      result: withSchedule(view.instance, view.result, view.schedule, view.value),
    }
    this.tab.value = 'compare'
    this.status.value = 'Pinned: change the scenario to see the two plans side by side.'
  }

  unpin(): void {
    this.pinned.value = null
  }

  /** Has the core read the text, and plans it if something in it changed, or always. */
  private async read(always = false): Promise<void> {
    const text = this.text.text.peek()
    const spb = this.spb.peek()
    const fresh = () => this.text.text.peek() === text && this.spb.peek() === spb
    const former = this.reading.peek()
    let answer: Methods['compile']['result']
    try {
      answer = await this.proxy.call('compile', { text })
    } catch (error) {
      // A missing engine has been reported already.
      if (this.engineSignal.peek())
        this.broken.value = `The scenario could not be read: ${error instanceof Error ? error.message : error}`
      this.status.value = this.broken.value
      return
    }
    this.broken.value = ''
    if (!fresh()) return
    const { instance, problems, special } = answer
    batch(() => {
      this.reading.value = { text, instance, problems, spec: answer.spec ?? former.spec }
      if (instance) {
        keepColours(this.sound.peek()?.instance ?? null, instance)
        this.sound.value = { instance, spec: answer.spec }
      }
      if (problems.length > 0)
        this.status.value = `${count(problems.length, 'problem')} in the scenario${this.planning.view.peek() ? '; the plan shown is for the earlier text' : ''}`
      else if (former.problems.length > 0) this.status.value = 'No more problems in the scenario'
    })
    if (special) {
      this.planned = ''
      this.planning.clear()
      await this.special.plan(text, special)
      if (fresh()) {
        const problems = this.special.view.peek()?.problems ?? []
        this.reading.value = { ...this.reading.peek(), problems }
      }
      return
    }
    if (!instance) return
    this.special.close()
    let target = { text, instance }
    if (this.ways.written?.digest !== instance.digest) this.ways = { written: instance, full: null }
    if (!spb && hasPartial(instance)) {
      const full = fullDepth(answer.spec)
      const { instance: other } = await this.proxy.call('compile', { text: full })
      if (!fresh() || !other) return
      keepColours(instance, other)
      this.ways.full = other
      target = { text: full, instance: other }
    }
    this.target.value = target.instance
    const wanted = `${target.instance.digest} ${this.seed.peek()} ${this.effort.peek()}`
    if (!always && wanted === this.planned) return
    this.planned = wanted
    await this.planning.start(target.text, target.instance, always)
    if (!fresh() || this.planning.phase.peek() !== 'stopped') return
    if (this.planning.view.peek()?.text !== target.text)
      this.status.value = 'Stopped before there was a plan; the one shown is for the earlier text'
  }
}

export const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
