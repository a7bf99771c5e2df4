// Share links: the whole scenario is in the fragment, which no server sees.
//
//   #3.<base64url(deflate-raw(JSON))>
//
// The number is the format's: 1 knew no switch of SPB, and not what shows beside the timeline; 2 knew no quick
// plan to compare with. Links live for ever: a format is never changed, only followed by another; test/links
// holds links of each that must go on being read.
import { type Snapshot, snapshotOf, textLimit } from './snapshot'

/** The longest fragment that is read, in characters, and the most bytes it may unpack to. */
export const longestFragment = 200_000
export const mostBytes = 2_000_000

export class LinkError extends Error {
  override readonly name = 'LinkError'
}

/** Whether a fragment is meant as a share link, not as an anchor in the page. */
export const isLink = (fragment: string) => /^#\d+\./.test(fragment)

export async function encodeLink(snapshot: Snapshot, planner: string): Promise<string> {
  // Defaults are left out: links stay short.
  const { text, seed, effort, selection, range, compared, spb, tab, mode } = snapshot
  const json = JSON.stringify({
    planner,
    text,
    ...(seed !== 0 && { seed }),
    ...(effort !== 1 && { effort }),
    ...(selection && { selection }),
    ...(range && { range }),
    ...(compared && { compared: { ...compared, quick: compared.quick || undefined } }),
    ...(!spb && { spb }),
    ...(tab && { tab }),
    ...(mode && { mode }),
  })
  const plain = new Blob([json])
  const packed = plain.stream().pipeThrough(new CompressionStream('deflate-raw'))
  const fragment = `#3.${toBase64URL(new Uint8Array(await new Response(packed).arrayBuffer()))}`
  // Nobody could open it.
  if (text.length > textLimit || plain.size > mostBytes || fragment.length > longestFragment)
    throw new LinkError('The scenario is too large for a link: share a file (Export, YAML).')
  return fragment
}

export interface Link {
  /** The version of the planner that the link was made with. */
  planner: string
  snapshot: Snapshot
}

/** Reads a link, or throws a LinkError that says what is wrong with it. */
export async function decodeLink(fragment: string): Promise<Link> {
  const match = /^#(\d+)\.([\w-]*)$/.exec(fragment)
  if (!match) throw new LinkError('it is truncated or damaged')
  if (!['1', '2', '3'].includes(match[1]!))
    throw new LinkError(`it has format ${match[1]?.slice(0, 8)}, which this version of JigSaw does not know`)
  if (fragment.length > longestFragment) throw new LinkError('it is too long')
  let json: unknown
  try {
    json = JSON.parse(await inflate(fromBase64URL(match[2] ?? '')))
  } catch (error) {
    if (error instanceof LinkError) throw error
    throw new LinkError('it is truncated or damaged')
  }
  const snapshot = snapshotOf(match[1] === '1' ? { ...Object(json), spb: true, tab: '', mode: '' } : json)
  if (!snapshot) throw new LinkError('it contains no scenario')
  const planner = (json as { planner?: unknown }).planner
  return { planner: typeof planner === 'string' ? planner.slice(0, 100) : '', snapshot }
}

/** Unpacks, and stops early if a small link would become a large text. */
async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > mostBytes) {
      await reader.cancel().catch(() => {})
      throw new LinkError('it unpacks to more than the limit for a scenario')
    }
    parts.push(value)
  }
  const all = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(all)
}

function toBase64URL(bytes: Uint8Array): string {
  let binary = ''
  // In pieces, because the number of arguments of a call is limited.
  for (let i = 0; i < bytes.length; i += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64URL(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, character => character.charCodeAt(0))
}
