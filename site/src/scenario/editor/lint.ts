// The validator's problems as marks under the words concerned.
import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { Problem } from '../../engine/api'

export function diagnostics(problems: readonly Problem[], doc: Text): Diagnostic[] {
  return problems.map(problem => ({
    ...range(problem, doc),
    severity: 'error' as const,
    message: problem.path ? `${problem.path}: ${problem.message}` : problem.message,
  }))
}

/** The word at the problem's place; the first line if the place is unknown. */
function range(problem: Problem, doc: Text): { from: number; to: number } {
  const line = doc.line(Math.min(Math.max(problem.line, 1), doc.lines))
  const from = Math.min(line.from + Math.max(problem.column, 1) - 1, line.to)
  const word = /^("[^"]*"|'[^']*'|[^\s,:{}[\]]+)/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0
  return { from, to: word > 0 ? from + word : Math.max(from, line.to) }
}
