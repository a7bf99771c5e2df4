import { defineConfig } from 'vitest/config'

// What runs the built page in a browser: npm run e2e tests it, npm run measure measures it,
// npm run picture draws it.
// Each file has a browser. Two at a time: a test waits for the page more than it works. What
// measures is alone.
export default defineConfig(({ mode }) => ({
  test: {
    include: [`e2e/**/*.${mode}.ts`],
    maxWorkers: mode === 'measure' ? 1 : 2,
    // What is measured is written down whole or not at all.
    bail: mode === 'measure' ? 1 : 0,
    testTimeout: mode === 'measure' ? 600_000 : 240_000,
    hookTimeout: 120_000,
    // The page plans by the clock: on a machine that is busy with other things a test may come too late for
    // what it looks for. The report names what passed only the second time.
    retry: mode === 'e2e' ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
  },
}))
