import { readdirSync, readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeLink, encodeLink, isLink, LinkError, longestFragment } from './link'
import { type Snapshot, snapshotOf } from './snapshot'

const snapshot: Snapshot = {
  text: 'version: 1\nname: "µ ☃ <script>alert(1)</script>"\n',
  seed: 7,
  effort: 3,
  selection: { job: 1, iteration: 2, gpu: null },
  range: { from: -0.5, to: 1200.25 },
  compared: { label: 'A', text: 'version: 1\n', seed: 1, effort: 1, quick: true },
  spb: false,
  tab: 'depths',
  mode: 'yaml',
}
const pack = (json: string, format = 1) => `#${format}.${deflateRawSync(json).toString('base64url')}`

describe('share links', () => {
  it('restore the identical state', async () => {
    const link = await encodeLink(snapshot, '1.2.3')
    expect(isLink(link)).toBe(true)
    expect(await decodeLink(link)).toEqual({ planner: '1.2.3', snapshot })
  })

  it('of every example stay within 2,000 characters', async () => {
    for (const file of readdirSync('../testdata/examples')) {
      const text = readFileSync(`../testdata/examples/${file}`, 'utf8')
      const link = await encodeLink({ ...snapshot, text, compared: null }, '1.2.3')
      expect(link.length, file).toBeLessThanOrEqual(2000)
      expect((await decodeLink(link)).snapshot.text).toBe(text)
    }
  })

  it('that nobody could open are not made', async () => {
    const noise = Array.from({ length: 60_000 }, (_, i) => Math.sin(i).toString(36)).join('')
    for (const large of [{ text: 'a'.repeat(1_000_001) }, { text: noise.slice(0, 900_000) }]) {
      const made = encodeLink({ ...snapshot, ...large }, '1.2.3')
      await expect(made).rejects.toThrow('too large for a link')
    }
    const half = 'é'.repeat(600_000)
    const pair = encodeLink(
      { ...snapshot, text: half, compared: { ...snapshot.compared!, text: half } },
      '1.2.3',
    )
    await expect(pair).rejects.toThrow('too large for a link')
  })

  it.each([
    ['empty', '#1.'],
    ['cut off', '#1.q1ZKLU0sSlWy'],
    ['not base64', '#1.@@@'],
    ['not deflate', '#1.AAAA'],
    ['not JSON', pack('{')],
    ['no object', pack('[1]')],
    ['no text', pack('{"seed":1}')],
    ['text of another kind', pack('{"text":{"a":1}}')],
    ['another format', '#4.AAAA'],
    ['huge', `#1.${'A'.repeat(longestFragment)}`],
    ['a bomb', pack(`{"text":"${'a'.repeat(20_000_000)}"}`)],
    ['nested without end', pack('['.repeat(900_000))],
    ['not UTF-8', `#1.${deflateRawSync(Buffer.from([0x22, 0xff, 0xfe, 0x22])).toString('base64url')}`],
  ])('that are bad are refused: %s', async (_, link) => {
    await expect(decodeLink(link)).rejects.toBeInstanceOf(LinkError)
  })

  it('bring nothing but what is known', () => {
    const read = snapshotOf({
      text: 'x',
      seed: -1,
      effort: 1e9,
      selection: { job: '0', iteration: 1 },
      range: { from: 5, to: 1 },
      compared: { label: 5, text: 'y', seed: 0.5, quick: 1 },
      spb: 'no',
      tab: 'constructor',
      mode: 1,
      __proto__: { evil: true },
      extra: 1,
    })
    expect(read).toEqual({
      text: 'x',
      seed: 0,
      effort: 1,
      selection: null,
      range: null,
      compared: { label: 'A', text: 'y', seed: 0, effort: 1, quick: false },
      spb: true,
      tab: 'compare',
      mode: null,
    })
  })

  it('of the first format know no switch', async () => {
    const json = '{"text":"x","spb":false,"tab":"depths","mode":"yaml"}'
    const { snapshot: first } = await decodeLink(pack(json))
    expect([first.spb, first.tab, first.mode]).toEqual([true, null, null])
    const { snapshot: second } = await decodeLink(pack(json, 2))
    expect([second.spb, second.tab, second.mode]).toEqual([false, 'depths', 'yaml'])
  })
})

describe('links of the past', () => {
  const folder = 'test/links'
  const files = readdirSync(folder)
  it('are there', () => expect(files.length).toBeGreaterThanOrEqual(5))
  for (const file of files)
    it(file, async () => {
      const { link, ...state } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
      expect(await decodeLink(link)).toMatchObject(state)
    })
})
