import { expect, it } from 'vitest'
import { compiled, FakeEngine, planResult, schedule } from '../../test/fake'
import type { PlanEvent } from '../engine/api'
import type { Seat } from '../engine/seat'
import type { Sketched } from '../timeline/sketch'
import { Sketches } from './sketches'

type Asked = { text: string }

/** A spare core that plans all but what is written in capitals. */
function spare() {
  const log: string[] = []
  const seat = new FakeEngine({
    compile: ({ text }: Asked) => ({
      instance: text === 'bad' ? null : compiled(text),
      spec: {},
      problems: [],
    }),
    plan: ({ text }: Asked) => {
      log.push(text)
      if (text === 'LARGE') throw new Error('not by this core')
      return planResult({ schedule: text === 'infeasible' ? null : schedule() })
    },
  })
  return { log, seat: Object.assign(seat, { close: () => log.push('closed') }) as unknown as Seat }
}

it('makes quick plans once, one after another, in a core of their own', async () => {
  const { log, seat } = spare()
  let cores = 0
  const whole = new FakeEngine({ plan: () => planResult({ schedule: schedule() }) })
  const sketches = new Sketches(() => {
    cores++
    return seat
  }, whole)
  const gone = new AbortController()
  const { signal } = new AbortController()
  const of = (text: string, until: AbortSignal) => sketches.of(text, until) as Promise<Sketched | null>
  const all = [of('a', signal), of('b', gone.signal), of('LARGE', signal)]
  gone.abort()
  expect((await all[0])?.instance.digest).toBe('a')
  await expect(all[1]).rejects.toThrow()
  expect((await all[2])?.schedule).toEqual(schedule())
  expect(log).toEqual(['a', 'LARGE'])
  expect(whole.calls).toMatchObject([{ method: 'plan', params: { text: 'LARGE', quick: true } }])
  expect(await sketches.of('infeasible', signal)).toBeNull()
  expect(await sketches.of('bad', signal)).toBeNull()
  sketches.rest()
  // What is known takes no core, that there is none as well.
  expect((await of('a', signal))?.instance.digest).toBe('a')
  expect(await of('infeasible', signal)).toBeNull()
  expect(cores).toBe(1)
  expect(log.at(-1)).toBe('closed')
})

it('makes the others while the engine is still at one that the small core does not plan', async () => {
  const { seat } = spare()
  const whole = new FakeEngine({ plan: () => new Promise(() => {}) })
  const sketches = new Sketches(() => seat, whole)
  const { signal } = new AbortController()
  void sketches.of('LARGE', signal)
  expect(await sketches.of('a', signal)).not.toBeNull()
})

it('shows what is found on the way', async () => {
  const seat = new FakeEngine({
    compile: ({ text }: Asked) => ({ instance: compiled(text), spec: {}, problems: [] }),
    plan: (_: Asked, { onEvent }) => {
      onEvent?.({ schedule: schedule() } as PlanEvent)
      return planResult({ schedule: null })
    },
  })
  const better: Sketched[] = []
  const sketches = new Sketches(() => seat as unknown as Seat, new FakeEngine({}))
  await sketches.of('a', new AbortController().signal, plan => better.push(plan))
  expect(better).toEqual([{ instance: compiled('a'), schedule: schedule(), long: null }])
})

it('has the picture of burst-parallel jobs from the core', async () => {
  const seat = new FakeEngine({
    compile: () => ({ instance: null, spec: {}, problems: [], special: 'plan_bursts' }),
  })
  const whole = new FakeEngine({ plan_bursts: () => ({ jobs: [{ picture: '<svg/>' }] }) })
  const sketches = new Sketches(() => seat as unknown as Seat, whole)
  expect(await sketches.of('burst', new AbortController().signal)).toBe('<svg/>')
})
