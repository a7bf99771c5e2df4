// The command that makes the same plan.
import { fileName } from '../keep/files'
import { exampleOf } from '../scenario/gallery/gallery'

const unset = { seed: 0, quick: false, effort: 1 }

/** Names an example by its name, and any other text by the file that the page exports. */
export function commandOf(text: string, name: string, { seed, quick, effort } = unset): string {
  const words = ['jigsaw plan', exampleOf(text) ?? `${fileName(name)}.yaml`]
  if (seed !== 0) words.push(`--seed ${seed}`)
  if (quick) words.push('--quick')
  if (effort > 1) words.push(`--effort ${effort}`)
  return words.join(' ')
}
