import { expect, it } from 'vitest'
import { pathText } from './path'

it.each([
  [['name'], 'name'],
  [['cluster', 'racks', 1, 'nic'], 'cluster.racks[1].nic'],
  [['jobs', 10, 'spb', 'rule'], 'jobs[10].spb.rule'],
])('writes places as problems do: %s', (path, text) => {
  expect(pathText(path)).toBe(text)
})
