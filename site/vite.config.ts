import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

/** Gives the service worker the list of files, and a name that changes with any of them. */
const precache: Plugin = {
  name: 'precache',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const files = Object.values(bundle).filter(
        file => file.fileName !== 'sw.js' && !file.fileName.endsWith('.map'),
      )
      const sum = createHash('sha256')
      for (const file of files.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)))
        sum.update(file.fileName).update(file.type === 'chunk' ? file.code : file.source)
      const build = {
        version: sum.digest('hex').slice(0, 12),
        files: ['./', 'favicon.svg', 'manifest.webmanifest', ...files.map(file => file.fileName)].filter(
          name => name !== 'index.html',
        ),
      }
      const worker = bundle['sw.js']
      if (worker?.type === 'chunk') worker.code = `const BUILD = ${JSON.stringify(build)};\n${worker.code}`
    },
  },
}

/**
 * What the browser fetches as soon as it has read index.html, before any script or style. Not the planner: what
 * a page preloads its own thread has to pass on to the worker that compiles.
 */
const early = [{ name: /\.woff2$/, as: 'font', type: 'font/woff2' }]
const preload: Plugin = {
  name: 'preload',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle }) =>
      early.flatMap(({ name: wanted, as, type }) =>
        Object.keys(bundle ?? {})
          .filter(name => wanted.test(name))
          .map(name => ({
            tag: 'link',
            attrs: { rel: 'preload', as, type, crossorigin: true, href: `./${name}` },
            injectTo: 'head',
          })),
      ),
  },
}

/** Hot reload inserts styles into the page, which the policy forbids. */
const lenient: Plugin = {
  name: 'lenient',
  apply: 'serve',
  transformIndexHtml: html => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
}

/** Sizes of modules, unpacked, in bytes: servers may not send the packed sizes. */
const bytesOf = (...names: string[]) =>
  names
    .map(name => statSync(new URL(`../bin/${name}.wasm`, import.meta.url), { throwIfNoEntry: false }))
    .reduce((sum, file) => sum + (file?.size ?? 0), 0)
const firstBytes = bytesOf('wasm/first', 'wasm/first-data')
const allBytes = firstBytes + bytesOf('wasm/core', 'wasm/data', 'clp/clp')

export default defineConfig({
  // Relative, so that the page works from any folder of any static host.
  base: './',
  define: { FIRST_BYTES: firstBytes, ALL_BYTES: allBytes },
  plugins: [precache, preload, lenient],
  build: {
    target: 'es2022',
    // The strict Content-Security-Policy allows data: only in images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: { index: 'index.html', sw: 'src/sw.ts' },
      // A service worker keeps its name, because browsers look for its next version there.
      output: { entryFileNames: chunk => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
    },
  },
  worker: { format: 'es' },
  // The core is built outside this folder: ../bin/wasm.
  server: { fs: { allow: ['..'] } },
  test: { include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts'] },
})
