// What the key is called that goes with letters in commands: keyboards of Apple have another.
export const CONTROL = /^(Mac|iP)/.test(globalThis.navigator?.platform ?? '') ? '⌘' : 'Ctrl'
