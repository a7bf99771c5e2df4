// Speeds, memory and durations as people write them, and the steps of their sliders.

const decimal = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 }
const binary = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 }

/** bit/s, or null if it is not a speed. */
export function speed(text: string): number | null {
  const match = /^\s*(\d*\.?\d+|\d+\.)\s*([kMGT]?)(bit|B)\/s\s*$/.exec(text)
  if (!match) return null
  return Number(match[1]) * decimal[match[2] as keyof typeof decimal] * (match[3] === 'B' ? 8 : 1)
}

/** Bytes, or null. */
export function memory(text: string): number | null {
  const match = /^\s*(\d*\.?\d+|\d+\.)\s*(?:([kMGT]?)B|([KMGT])iB)?\s*$/.exec(text)
  if (!match) return null
  const factor = match[3]
    ? binary[match[3] as keyof typeof binary]
    : decimal[(match[2] ?? '') as keyof typeof decimal]
  return Number(match[1]) * factor
}

/** A kind of quantity: how to read a text, and the steps of its slider, as texts. */
export interface Quantity {
  read(text: string): number | null
  steps: readonly string[]
  /** An example, for messages. */
  example: string
}

const of = (numbers: number[], unit: string) => numbers.map(n => `${n}${unit}`)

export const nicSpeed: Quantity = {
  read: speed,
  steps: of([1, 2.5, 5, 10, 20, 25, 40, 50, 100, 200, 400, 800], 'Gbit/s'),
  example: '25Gbit/s',
}

export const fabricSpeed: Quantity = {
  read: speed,
  steps: of([50, 100, 200, 300, 400, 600, 800, 1200, 2400, 3600, 7200], 'Gbit/s'),
  example: '400Gbit/s',
}

export const uplinkSpeed: Quantity = {
  read: speed,
  steps: of([1, 5, 10, 25, 50, 100, 200, 400, 800, 1600, 3200], 'Gbit/s'),
  example: '100Gbit/s',
}

export const gpuMemory: Quantity = {
  read: memory,
  steps: of([4, 6, 8, 10, 11, 12, 16, 24, 32, 40, 48, 64, 80, 96, 141, 192], 'GiB'),
  example: '32GiB',
}

/** The step that is nearest, by ratio. */
export function nearestStep(quantity: Quantity, text: string): number {
  const value = quantity.read(text)
  if (value === null || value <= 0) return 0
  const distance = (step: string) => Math.abs(Math.log((quantity.read(step) ?? 1) / value))
  let best = 0
  quantity.steps.forEach((step, i) => {
    if (distance(step) < distance(quantity.steps[best]!)) best = i
  })
  return best
}

/** Durations such as 12s, 1m30s, 100us; 0 needs no unit. */
export const isDuration = (text: string) => /^\s*(0|([\d.]+(ns|us|µs|μs|ms|s|m|h))+)\s*$/.test(text)
