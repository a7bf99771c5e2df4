import type { ErrorCode, Problem } from './api'

/** crashed: the worker died and was replaced. stopped: the page stopped the request before it began. */
export type FailureCode = ErrorCode | 'crashed' | 'stopped'

export class EngineError extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly problems: Problem[] = [],
  ) {
    super(message)
    this.name = 'EngineError'
  }
}
