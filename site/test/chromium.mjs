// The browser of the end-to-end tests and of the measurements: Debian's, for no other can
// be downloaded everywhere.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Where it is; empty if it is not installed. */
function path() {
  try {
    return execFileSync(fileURLToPath(new URL('../../scripts/chromium', import.meta.url)))
      .toString()
      .trim()
  } catch {
    return ''
  }
}

/** How playwright-core starts it. */
export const chromiumOptions = {
  executablePath: path(),
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
