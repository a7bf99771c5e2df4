// Colours of jobs and shades of depths: the ones of `jigsaw plan --gantt`
// (formulation/instance/view/palette.go), so that a picture and the page agree.

import type { Compiled } from '../engine/api'

/** A colour, components 0..1 in sRGB. */
type Rgb = readonly [number, number, number]

/**
 * They distinguish jobs, also with protanopia, deuteranopia and tritanopia: the first six
 * follow Okabe and Ito (2008); every further one is the farthest from the earlier ones in
 * OKLab, under the worst of these and normal vision.
 */
export const COLOURS = [
  '#2f7bbd',
  '#e8a02e',
  '#2a9d78',
  '#cc79a7',
  '#74c0ea',
  '#c9561f',
  '#abd19e',
  '#785b8a',
  '#9e4b58',
  '#8988e8',
  '#b3a56a',
  '#e0607e',
  '#aa7b54',
  '#75b595',
  '#d2c76f',
  '#ac81c6',
  '#27786b',
  '#555eb8',
  '#d27e2a',
  '#3cc8cc',
  '#8b5d37',
  '#9f57a5',
  '#8d9f4d',
  '#678335',
] as const

/** The number of shades that distinguish depths; the last is full depth. */
export const SHADES = 5
/** The share of the job's colour in a shade; the rest is the page's colour. */
const STRENGTH = [0.3, 0.46, 0.63, 0.8, 1] as const
/** The shade of synchronisations, which have no depth. */
export const SYNC_SHADE = 3

/** The shade of depth index d if `full` is the index of full depth. */
export function shadeOf(d: number, full: number): number {
  if (full === 0 || d >= full) return SHADES - 1
  if (full < SHADES) return SHADES - 1 - (full - d)
  return Math.floor((d * (SHADES - 1)) / full)
}

const given = new WeakMap<Compiled, readonly number[]>()

/** Gives each job of an instance a colour, as an index into the palette. */
export function giveColours(instance: Compiled, colours: readonly number[]): void {
  given.set(instance, colours)
}

/** The colour of each job: the one it was given, or one of its own if there are enough, else that of its class. */
export function jobColours(instance: Compiled): Uint8Array {
  const colours = given.get(instance)
  if (colours) return Uint8Array.from(colours)
  const many = instance.jobs.length > COLOURS.length
  return Uint8Array.from(instance.jobs, (job, j) => (many ? job.class : j) % COLOURS.length)
}

export interface Theme {
  dark: boolean
  page: string
  track: string
  grid: string
  text: string
  dim: string
  accent: string
}

export const LIGHT: Theme = {
  dark: false,
  page: '#ffffff',
  track: '#f3f5f8',
  grid: '#dde1e7',
  text: '#1b2029',
  dim: '#525c6b',
  accent: '#1f56c9',
}
export const DARK: Theme = {
  dark: true,
  page: '#171b22',
  track: '#1f252e',
  grid: '#333b47',
  text: '#e6e9ee',
  dim: '#a4aebd',
  accent: '#86adff',
}

function hex(text: string): Rgb {
  const v = Number.parseInt(text.slice(1), 16)
  return [(v >> 16) / 255, ((v >> 8) & 255) / 255, (v & 255) / 255]
}

function css([r, g, b]: Rgb): string {
  const byte = (v: number) =>
    Math.round(255 * v)
      .toString(16)
      .padStart(2, '0')
  return `#${byte(r)}${byte(g)}${byte(b)}`
}

function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}

function luminance(c: Rgb): number {
  const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2])
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const x = luminance(hex(a))
  const y = luminance(hex(b))
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

export interface Paint {
  fill: string
  /** Legible on the fill. */
  ink: string
}

/** White and black: one of them is legible on any fill (contrast at least 4.58). */
const INK = '#000000'

/** The paint of every colour and shade on a theme: index colour * SHADES + shade. */
export function paints(theme: Theme): Paint[] {
  const page = hex(theme.page)
  return COLOURS.flatMap(colour =>
    STRENGTH.map(strength => {
      const fill = css(mix(page, hex(colour), strength))
      return { fill, ink: contrast(fill, '#ffffff') > contrast(fill, INK) ? '#ffffff' : INK }
    }),
  )
}

const cache = new Map<string, Paint[]>()

/** paints, made once for a theme. */
export function paintsOf(theme: Theme): Paint[] {
  let found = cache.get(theme.page)
  if (!found) {
    found = paints(theme)
    cache.set(theme.page, found)
  }
  return found
}
