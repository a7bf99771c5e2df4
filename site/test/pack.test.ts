// scripts/pack-wasm: a packed program has the same memory contents as before.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const script = resolve(import.meta.dirname, '../../scripts/pack-wasm')
const folder = mkdtempSync(join(tmpdir(), 'pack-'))
afterAll(() => rmSync(folder, { recursive: true }))

const section = (id: number, ...body: number[]) => [id, body.length, ...body]
const text = (s: string) => [s.length, ...Buffer.from(s)]
/** One page of memory that is exported as Go exports it. */
const memory = [...section(5, 1, 0, 1), ...section(7, 1, ...text('mem'), 2, 0)]
/** Three segments: at 1, right after it with a zero inside, and at 10,000, far away, an address that needs an extra byte for its sign. */
const data = section(
  11,
  ...[3, 0, 0x41, 1, 0x0b, ...text('abc')],
  ...[0, 0x41, 4, 0x0b, ...text('d\0e')],
  ...[0, 0x41, 0x90, 0xce, 0x00, 0x0b, ...text('far')],
)
const names = section(0, ...text('name'), 1, 2, 3)

/** Packs a module of these sections; returns both files. */
function pack(...sections: number[][]): [code: Buffer<ArrayBuffer>, data: Buffer<ArrayBuffer>] {
  const files: [string, string] = [join(folder, 'code'), join(folder, 'data')]
  writeFileSync(files[0], Buffer.from([0, ...Buffer.from('asm'), 1, 0, 0, 0, ...sections.flat()]))
  // It reports what it does not know, and continues.
  execFileSync(script, files, { stdio: ['ignore', 'pipe', 'pipe'] })
  return [readFileSync(files[0]), readFileSync(files[1])]
}

test('the second module fills the memory of the first', async () => {
  const [code, filler] = pack(memory, data, names)
  const { instance } = await WebAssembly.instantiate(code)
  const mem = new Uint8Array((instance.exports.mem as WebAssembly.Memory).buffer)
  expect(mem.every(byte => byte === 0)).toBe(true)
  await WebAssembly.instantiate(filler, { core: instance.exports })
  const want = Buffer.alloc(65536)
  want.write('abcd\0e', 1)
  want.write('far', 10_000)
  expect(Buffer.compare(mem, want)).toBe(0)
})

test('names and runs of zeros are left out, the rest stays', () => {
  const [code, filler] = pack(memory, data, names)
  expect([...code.subarray(8)]).toEqual(memory)
  expect(filler.length).toBeLessThan(80)
})

test.each([
  ['that was packed before', [memory]],
  ['that runs before its data are there', [memory, section(8, 0), data]],
  ['whose data have another form', [memory, section(11, 1, 1, ...text('x'))]],
])('refuses a program %s', (_, sections) => {
  expect(() => pack(...sections)).toThrow()
})
