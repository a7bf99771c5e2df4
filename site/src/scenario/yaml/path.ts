// Places in the scenario's tree, as lists of keys and as written in problems.
export type Path = readonly (string | number)[]

/** Like jobs[0].spb.rule. */
export const pathText = (path: Path): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i > 0 ? `.${key}` : key)).join('')
