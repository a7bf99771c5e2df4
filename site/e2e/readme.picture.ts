// Draws docs/playground.png, the README's picture: what a newcomer sees once the default
// scenario is planned.
import { test } from 'vitest'
import { root, settled, useBrowser, visit } from './harness'

useBrowser()

test('the page as a newcomer sees it', () =>
  visit(
    async visitor => {
      const page = await visitor.tab()
      await settled(page)
      await page.getByRole('note', { name: 'What the picture shows' }).waitFor()
      await page.screenshot({ path: `${root}docs/playground.png` })
    },
    { reducedMotion: 'reduce' },
  ))
