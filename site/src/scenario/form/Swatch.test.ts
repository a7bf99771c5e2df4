import { expect, it } from 'vitest'
import { compiled } from '../../../test/fake'
import type { CompiledJob } from '../../engine/api'
import { COLOURS } from '../../timeline/palette'
import { coloursOf } from './Swatch'

const job = (source: number) => ({ source, class: source }) as CompiledJob

it('gives each job of the file the colours of its copies', () => {
  const instance = compiled('a', {
    jobs: [job(0), job(0), job(2), ...Array.from({ length: 6 }, () => job(3))],
  })
  const colours = coloursOf({ instance, spec: { jobs: ['a', 'b', 'c', 'd'].map(name => ({ name })) } })
  expect(colours.get('a')).toEqual([COLOURS[0], COLOURS[1]])
  // Disabled: no copy of it is planned.
  expect(colours.get('b')).toBeUndefined()
  expect(colours.get('c')).toEqual([COLOURS[2]])
  expect(colours.get('d')).toHaveLength(4)
  expect(coloursOf(null).size).toBe(0)
})
