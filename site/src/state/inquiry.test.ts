import { signal } from '@preact/signals'
import { expect, it } from 'vitest'
import { compiled, event, FakeEngine, planResult, schedule } from '../../test/fake'
import type { ChainLink, WhatIfAnswer, WhatIfChange } from '../engine/api'
import { Inquiry } from './inquiry'
import type { PlanView } from './planning'

const link = (text: string): ChainLink => ({ kind: 'task', index: 0, because: 'start', text })
const view = (digest: string): PlanView => ({
  text: digest,
  instance: compiled(digest, { jobs: [{} as never, {} as never] }),
  points: [],
  schedule: schedule(),
  long: null,
  value: 1,
  result: planResult({ chain: [link('of the plan')] }),
})
const change: WhatIfChange = { kind: 'add_gpu', subject: 'n0' }
const settle = () => new Promise(resolve => setTimeout(resolve))

it('explains the last end by the result, and a job by asking', async () => {
  const engine = new FakeEngine({
    explain: ({ job }: { job: number }) => ({ chain: [link(`job ${job}`)], text: '' }),
  })
  const inquiry = new Inquiry(engine, signal(view('a')), () => ({ seed: 0, effort: 1 }))
  expect(inquiry.chain.value?.[0]?.text).toBe('of the plan')
  inquiry.job.value = 1
  expect(inquiry.chain.value).toBeNull()
  await settle()
  expect(inquiry.chain.value?.[0]?.text).toBe('job 1')
  inquiry.job.value = 99
  expect(inquiry.job.value).toBeNull()
})

it('explains the last result, whatever a search shows since', async () => {
  const engine = new FakeEngine({
    explain: ({ job }: { job: number }) => ({ chain: [link(`job ${job}`)], text: '' }),
  })
  const first = view('a')
  const shown = signal<PlanView | null>(first)
  const inquiry = new Inquiry(engine, shown, () => ({ seed: 0, effort: 1 }))
  inquiry.job.value = 1
  await settle()
  shown.value = { ...first, points: [event(9, 1).event], schedule: schedule() }
  expect(inquiry.chain.value?.[0]?.text).toBe('job 1')
  expect(engine.calls).toHaveLength(1)
  expect(engine.calls[0]?.params).toMatchObject({ schedule: first.result?.schedule })
  shown.value = view('a')
  expect(inquiry.chain.value).toBeNull()
  await settle()
  expect(inquiry.chain.value?.[0]?.text).toBe('job 1')
  expect(engine.calls).toHaveLength(2)
})

it('asks for the last end, too, where the plan was stopped before it was told', async () => {
  const engine = new FakeEngine({ explain: () => ({ chain: [link('asked for')], text: '' }) })
  const stopped = { ...view('a'), result: planResult({ chain: [], stopped: true }) }
  const inquiry = new Inquiry(engine, signal(stopped), () => ({ seed: 0, effort: 1 }))
  expect(inquiry.chain.value).toBeNull()
  await settle()
  expect(inquiry.chain.value?.[0]?.text).toBe('asked for')
  expect(engine.calls[0]?.params).not.toHaveProperty('job')
})

it('answers what-ifs, and forgets them with the instance', async () => {
  const answer = { change, plan_after: 5 } as WhatIfAnswer
  const shown = signal<PlanView | null>(view('a'))
  const inquiry = new Inquiry(new FakeEngine({ what_if: () => answer }), shown, () => ({
    seed: 0,
    effort: 1,
  }))
  const asked = inquiry.ask(change)
  expect(inquiry.whatIfs.value).toEqual([{ change, answer: null, error: '' }])
  await asked
  expect(inquiry.whatIfs.value).toEqual([{ change, answer, error: '' }])
  await inquiry.ask(change)
  expect(inquiry.whatIfs.value).toHaveLength(1)
  shown.value = view('b')
  expect(inquiry.whatIfs.value).toEqual([])
})

it('tells why a question failed', async () => {
  const inquiry = new Inquiry(new FakeEngine({}), signal(view('a')), () => ({ seed: 0, effort: 1 }))
  await inquiry.ask(change)
  expect(inquiry.whatIfs.value[0]?.error).toBe('what_if')
})

it('asks what would mend a scenario without a plan, and drops what is about another one', async () => {
  const answers: ((remedies: { text: string; spec: unknown }[]) => void)[] = []
  const engine = new FakeEngine({
    remedies: () => new Promise(resolve => answers.push(remedies => resolve({ remedies, jobs: 0 }))),
  })
  const none = (digest: string) => ({
    ...view(digest),
    result: planResult({ status: 'infeasible', primal: null, schedule: null }),
  })
  const shown = signal<PlanView | null>({ ...view('a'), result: planResult({ chain: [link('')] }) })
  const inquiry = new Inquiry(engine, shown, () => ({ seed: 0, effort: 1 }))
  expect(engine.calls).toEqual([])
  shown.value = none('b')
  shown.value = none('c')
  expect(engine.calls.map(call => call.params)).toEqual([{ text: 'b' }, { text: 'c' }])
  answers[0]!([{ text: 'of b', spec: {} }])
  await settle()
  expect(inquiry.remedies.value).toBeNull()
  answers[1]!([{ text: 'of c', spec: {} }])
  await settle()
  expect(inquiry.remedies.value).toEqual({ remedies: [{ text: 'of c', spec: {} }], jobs: 0 })
  shown.value = view('d')
  expect(inquiry.remedies.value).toBeNull()
})
