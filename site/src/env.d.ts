/// <reference types="vite/client" />

/** Bytes of what makes a first plan and of all of the planner, unpacked; see vite.config.ts. */
declare const FIRST_BYTES: number
declare const ALL_BYTES: number
