import { expect, it } from 'vitest'
import type { Engine } from '../engine/client'
import { EngineError } from '../engine/error'
import { SpecialPlans } from './special'

/** Answers when it is told to, or is stopped. */
class Slow {
  answer: (value: unknown) => void = () => {}
  readonly call = ((_method: string, _params: unknown, options?: { signal?: AbortSignal }) =>
    new Promise((resolve, reject) => {
      this.answer = resolve
      options?.signal?.addEventListener('abort', () => reject(new EngineError('cancelled', 'cancelled')))
    })) as Engine['call']
}

it('can be stopped, and then keeps the last plan of its kind', async () => {
  const engine = new Slow()
  const special = new SpecialPlans(engine, () => 0)
  const first = special.plan('a', 'plan_bursts')
  expect(special.busy.value).toBe(true)
  special.stop()
  await first
  expect(special.busy.value).toBe(false)
  expect(special.view.value).toMatchObject({ text: 'a', bursts: null, error: '' })

  const second = special.plan('a', 'plan_bursts')
  engine.answer('bursts of a')
  await second
  const third = special.plan('b', 'plan_bursts')
  special.stop()
  await third
  expect(special.view.value).toMatchObject({ text: 'a', bursts: 'bursts of a', error: '' })
  expect(special.busy.value).toBe(false)

  const other = special.plan('c', 'mold')
  special.stop()
  await other
  expect(special.view.value).toMatchObject({
    text: 'c',
    bursts: null,
    error: '',
  })
})
