import { describe, expect, it } from 'vitest'
import { bands } from './links'

describe('bands', () => {
  it('take the lowest free one', () => {
    expect(bands([], 0.5)).toEqual([[0, 0.5]])
    expect(bands([{ low: 0, high: 0.5 }], 0.5)).toEqual([[0.5, 1]])
  })
  it('are several where none is high enough', () => {
    expect(
      bands(
        [
          { low: 0.25, high: 0.5 },
          { low: 0.75, high: 1 },
        ],
        0.5,
      ),
    ).toEqual([
      [0, 0.25],
      [0.5, 0.75],
    ])
  })
  it('show what is over the capacity', () => {
    expect(bands([{ low: 0, high: 1 }], 0.5)).toEqual([[0.5, 1]])
  })
})
