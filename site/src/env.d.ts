/// <reference types="vite/client" />

/** Sizes in bytes, unpacked, of the first core and of the whole planner; see vite.config.ts. */
declare const FIRST_BYTES: number
declare const ALL_BYTES: number
