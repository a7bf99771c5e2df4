import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Relative, so that the page works from any folder of any static host.
  base: './',
  build: {
    target: 'es2022',
    // The strict Content-Security-Policy has no place for data: but in images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: 'es' },
  // The core is built outside of this folder: ../bin/wasm.
  server: { fs: { allow: ['..'] } },
  test: { include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts'] },
})
