// The name of the modifier key for commands: Apple keyboards have another one.
export const CONTROL = /^(Mac|iP)/.test(globalThis.navigator?.platform ?? '') ? '⌘' : 'Ctrl'
