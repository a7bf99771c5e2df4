import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { COLOURS, contrast, DARK, jobColours, LIGHT, paints, SHADES, shadeOf } from './palette'

describe('palette', () => {
  it.each([LIGHT, DARK])('has ink that can be read on every fill', theme => {
    for (const { fill, ink } of paints(theme)) expect(contrast(fill, ink)).toBeGreaterThanOrEqual(4.5)
  })
  it.each([LIGHT, DARK])('has text that can be read', theme => {
    for (const ground of [theme.page, theme.track])
      for (const ink of [theme.text, theme.dim, theme.accent])
        expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5)
    // Figures of shares stand on bars.
    expect(contrast(theme.grid, theme.dim)).toBeGreaterThanOrEqual(4.5)
  })
  it('tells depths apart as far as there are shades', () => {
    for (let full = 0; full < 12; full++) {
      expect(shadeOf(full, full)).toBe(SHADES - 1)
      const shades = Array.from({ length: full + 1 }, (_, d) => shadeOf(d, full))
      expect(shades).toEqual([...shades].sort((a, b) => a - b))
      expect(new Set(shades).size).toBe(Math.min(full + 1, SHADES))
    }
  })
  it('colours jobs, or classes where there are too many', () => {
    const few = fixture({ jobs: 20 }).instance
    expect(new Set(jobColours(few)).size).toBe(20)
    const many = fixture({ jobs: 60, tasks: 500 }).instance
    expect(jobColours(many)[0]).toBe(jobColours(many)[6])
    expect(COLOURS.length).toBe(24)
  })
})
