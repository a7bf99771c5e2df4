import { expect, it } from 'vitest'
import { fileName } from './files'

// As wasm/api, TestFileNames.
it.each([
  ['rack', 'rack'],
  ['my rack (v2)', 'my-rack-v2'],
  ['-rf', 'rf'],
  ['../x', 'x'],
  ['', 'scenario'],
  ['日本', 'scenario'],
  ['$(reboot)', 'reboot'],
  ['n'.repeat(500), 'n'.repeat(60)],
  ['a.b', 'a-b'],
  [`${'n'.repeat(59)} n`, 'n'.repeat(59)],
])('names the file of %j as the core does', (name, file) => {
  expect(fileName(name)).toBe(file)
})
