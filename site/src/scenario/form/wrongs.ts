// Which jobs of the file have problems.
import type { Problem } from '../../engine/api'

/** By place in the file, the messages of a job's problems. */
export function wrongsOf(problems: readonly Problem[]): Map<number, string> {
  const wrongs = new Map<number, string>()
  for (const { path, message } of problems) {
    const [, place, field] = /^jobs\[(\d+)\]\.?(.*)$/.exec(path) ?? []
    if (place === undefined) continue
    const before = wrongs.get(Number(place))
    wrongs.set(Number(place), `${before ? `${before}\n` : ''}${field ? `${field}: ` : ''}${message}`)
  }
  return wrongs
}
