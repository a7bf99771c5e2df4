import { defineConfig } from 'vitest/config'

// What runs the built page in a browser: npm run e2e tests it, npm run measure measures it,
// npm run picture draws it.
// Each file has its own browser. Two run at a time, because tests mostly wait for the page.
// Measurements run alone.
export default defineConfig(({ mode }) => ({
  test: {
    include: [`e2e/**/*.${mode}.ts`],
    maxWorkers: mode === 'measure' ? 1 : 2,
    // Measurements are written completely or not at all.
    bail: mode === 'measure' ? 1 : 0,
    testTimeout: mode === 'measure' ? 600_000 : 240_000,
    hookTimeout: 120_000,
    // The page plans by the clock: on a busy machine a test may look too late. The report names the tests
    // that passed only the second time.
    retry: mode === 'e2e' ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
  },
}))
