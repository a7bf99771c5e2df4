import { defineConfig } from 'vitest/config'

// Tests of the built page in a browser: npm run e2e. One file at a time, for each has a browser.
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
})
