import { expect, it } from 'vitest'
import { isDuration, memory, nearestStep, nicSpeed, speed } from './quantity'

it('reads speeds in bit/s', () => {
  expect(speed('25Gbit/s')).toBe(25e9)
  expect(speed('2.5 Gbit/s')).toBe(2.5e9)
  expect(speed('1GB/s')).toBe(8e9)
  expect(speed('100bit/s')).toBe(100)
  for (const bad of ['', '25', '25Gb', '-1Gbit/s', '1..2Gbit/s']) expect(speed(bad)).toBeNull()
})

it('reads memory in bytes', () => {
  expect(memory('32GiB')).toBe(32 * 2 ** 30)
  expect(memory('1kB')).toBe(1000)
  expect(memory('512')).toBe(512)
  expect(memory('7 MB')).toBe(7e6)
  for (const bad of ['', 'GiB', '1KB', '1GiB/s']) expect(memory(bad)).toBeNull()
})

it('finds the step nearest by ratio', () => {
  expect(nicSpeed.steps[nearestStep(nicSpeed, '27Gbit/s')]).toBe('25Gbit/s')
  expect(nicSpeed.steps[nearestStep(nicSpeed, '3000Gbit/s')]).toBe('800Gbit/s')
  expect(nearestStep(nicSpeed, 'nonsense')).toBe(0)
})

it('knows durations', () => {
  for (const good of ['0', '12s', '1m30s', '100us', '1.5s']) expect(isDuration(good)).toBe(true)
  for (const bad of ['', '12', 's', '-1s']) expect(isDuration(bad)).toBe(false)
})
