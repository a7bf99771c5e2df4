// Nothing is lost, and nothing that comes from elsewhere does harm.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  example,
  exampleText,
  follow,
  home,
  linkTo,
  opened,
  planned,
  shoot,
  small,
  stop,
  title,
  useBrowser,
  type Visitor,
  visit,
  withScenario,
} from './harness'

useBrowser()

/** The scenario open first, where it does not matter: it is planned at once, and leaves the processor free. */
const start = linkTo({ text: small })

async function type(page: Page, name: string): Promise<void> {
  await title(page).fill(name)
  await title(page).press('Enter')
}

async function rename(page: Page, to: string): Promise<void> {
  await type(page, to)
  // If this fails, what is shown instead is the cause.
  await expect.poll(() => page.getByRole('banner').locator('.saving').innerText()).toBe('saved')
}

async function shared(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const field = page.getByRole('textbox', { name: /^Link/ })
  await field.waitFor()
  const found = await field.inputValue()
  await page.keyboard.press('Escape')
  return found
}

/** Blocks the storage for all others until this tab is closed: a transaction that never ends. */
async function wedge(visitor: Visitor): Promise<Page> {
  const tab = await visitor.tab('favicon.svg')
  await tab.evaluate(
    () =>
      new Promise<void>(resolve => {
        const request = indexedDB.open('jigsaw')
        request.onsuccess = () => {
          const stores = [...request.result.objectStoreNames]
          const store = request.result.transaction(stores, 'readwrite').objectStore(stores[0] ?? '')
          const again = () => {
            store.count().onsuccess = again
            resolve()
          }
          again()
        }
      }),
  )
  return tab
}

test('a link brings the same state to another browser', async () => {
  let sent = ''
  await visit(async visitor => {
    const page = await visitor.tab(start)
    await planned(page)
    await type(page, 'from afar')
    await page.getByRole('region', { name: 'Timeline of from afar' }).waitFor()
    await page.getByLabel('Seed').fill('7')
    await page.getByLabel('Seed').press('Enter')
    await stop(page)
    await page
      .locator('canvas')
      .last()
      .click({ position: { x: 300, y: 60 } })
    await page.getByRole('button', { name: 'Zoom to it' }).click()
    await page.getByRole('switch', { name: 'SPB' }).press('Space')
    await page.getByRole('tab', { name: 'Depths' }).click()
    await page.getByText('Both', { exact: true }).click()
    sent = await shared(page)
    expect(sent.length).toBeLessThanOrEqual(2000)
  })
  await visit(async visitor => {
    const page = await visitor.tab(sent.slice(home.length))
    await planned(page)
    await opened(page, 'from afar')
    expect(await page.getByLabel('Seed').inputValue()).toBe('7')
    await page.getByRole('button', { name: 'Zoom to it' }).waitFor()
    expect(await page.getByRole('switch', { name: 'SPB' }).isChecked()).toBe(false)
    expect(await page.getByRole('tab', { name: 'Depths', selected: true }).count()).toBe(1)
    await page.locator('.cm-content').waitFor()
    expect(await shared(page)).toBe(sent)
    // Another link in the same tab is opened, and so is the same one again.
    const second = linkTo({ text: 'version: 1\nname: second\n' })
    await follow(page, second)
    await opened(page, 'second')
    await rename(page, 'third')
    await follow(page, second)
    await opened(page, 'second')
    await rename(page, 'fourth')
    await page.reload()
    await opened(page, 'fourth')
  })
})

test('a broken or hostile link changes nothing and says so', () =>
  withScenario(small, async page => {
    await planned(page)
    await rename(page, 'mine')
    const alarm = page.getByRole('alert').filter({ hasText: 'The share link does not work' })
    for (const bad of [
      '#1.AAAA',
      '#1.',
      '#9.abc',
      linkTo([1, 2]),
      linkTo({ text: 5 }),
      linkTo('x'),
      linkTo({ text: 'cut off' }).slice(0, -8),
      `#1.${'A'.repeat(300_000)}`,
      linkTo({ text: 'a'.repeat(3_000_000) }),
    ]) {
      await follow(page, bad)
      await alarm.waitFor()
      expect(await title(page).inputValue()).toBe('mine')
      await alarm.getByRole('button', { name: 'Close' }).click()
      await alarm.waitFor({ state: 'detached' })
    }
    await page.goto(home)
    await opened(page, 'mine')
  }))

test('the way back from a link leads to what was open before', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await opened(page, 'quickstart')
    await follow(page, example('rack'))
    await opened(page, 'rack')
    await page.goBack()
    await opened(page, 'quickstart')
    // A change is kept, and the Back button leads to it.
    await rename(page, 'mine')
    await follow(page, example('rack'))
    await opened(page, 'rack')
    await page.goBack()
    await opened(page, 'mine')
  }))

test('names with markup are text', () =>
  withScenario(small, async page => {
    await planned(page)
    await rename(page, `<img src=x onerror=alert(1)>\\"'><script>alert(2)</script>`)
    await page.getByText('Both', { exact: true }).click()
    await page
      .getByRole('region', { name: 'Scenario' })
      .getByRole('button', { name: /^a alexnet/ })
      .click()
    const job = page
      .getByRole('region', { name: 'Scenario' })
      .getByRole('textbox', { name: 'Name', exact: true })
    await job.nth(1).fill('<svg/onload=alert(3)>')
    await job.nth(1).press('Enter')
    await page.locator('.job-title').getByText('<svg').waitFor()
    const timeline = page.getByRole('region', { name: /^Timeline of/ })
    await timeline.getByRole('button', { name: '<svg/onload=alert(3)>' }).waitFor()
    await stop(page)
    for (const tab of ['Progress', 'Compare', 'Depths', 'Explain']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByRole('tabpanel', { name: tab }).waitFor()
    }
    await page.getByRole('button', { name: 'Scenarios' }).click()
    await page.getByRole('dialog').getByText('<script>').first().waitFor()
    expect(await page.locator('img[src=x], svg[onload], body script').count()).toBe(0)
  }))

test('files that are no scenario change nothing, or say what is wrong with them', () =>
  withScenario(small, async page => {
    await planned(page)
    await rename(page, 'mine')
    const give = async (name: string, content: string | Buffer) => {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Import' }).click()
      await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    }
    const alarm = page.getByRole('alert').filter({ hasText: 'The file was not opened' })
    const config = '{"model_type":"llama","hidden_size":4096}'
    for (const bad of ['a'.repeat(3_000_000), Buffer.from([0xff, 0xfe, 0x00, 0x80]), 'a\0b', config]) {
      await give('bad.yaml', bad)
      await alarm.waitFor()
      expect(await title(page).inputValue()).toBe('mine')
      await alarm.getByRole('button', { name: 'Close' }).click()
      await alarm.waitFor({ state: 'detached' })
    }
    await give('nested.json', `{"version":1,"name":${'['.repeat(5000)}${']'.repeat(5000)}}`)
    await page
      .getByText(/^\d+ problems?/)
      .first()
      .waitFor()
    // Aliases that expand tenfold with each line.
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]']
    for (const [of, by] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi'])
      bomb.push(`${by}: &${by} [${Array(10).fill(`*${of}`).join(',')}]`)
    await give('bomb.yaml', bomb.join('\n'))
    await page
      .getByText(/^\d+ problems?/)
      .first()
      .waitFor()
    // The page stays responsive, and the stored scenarios are still there.
    await page.getByRole('button', { name: 'Scenarios' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /^mine/ }).first().click()
    await opened(page, 'mine')
  }))

test('a scenario outlives a reload, and its history brings it back', () =>
  withScenario(exampleText('quickstart'), async page => {
    await planned(page)
    await rename(page, 'first')
    await rename(page, 'second')
    // The selection is kept, too, but does not make a revision.
    for (const x of [300, 400]) {
      await page
        .locator('canvas')
        .last()
        .click({ position: { x, y: 60 } })
      await page.getByRole('banner').getByText('saving…').waitFor()
      await page.getByRole('banner').getByText('saved', { exact: true }).waitFor()
    }
    await page.reload()
    await opened(page, 'second')
    await page.getByRole('button', { name: 'Scenarios' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'History of second' }).click()
    await dialog
      .getByRole('button', { name: /^Restore/ })
      .last()
      .waitFor()
    await shoot(page, 'scenarios')
    expect(await dialog.getByRole('button', { name: /^Restore/ }).count()).toBe(2)
    await dialog
      .getByRole('button', { name: /^Restore/ })
      .last()
      .click()
    await opened(page, 'first')
  }))

test('two tabs lose nothing', () =>
  visit(async visitor => {
    // Messages between tabs come late on a busy machine; here, while a tab is deaf, never.
    await visitor.context.addInitScript(() => {
      globalThis.BroadcastChannel = class extends BroadcastChannel {
        constructor(name: string) {
          super(name)
          this.addEventListener('message', event => {
            if (document.documentElement.hasAttribute('data-deaf')) event.stopImmediatePropagation()
          })
        }
      }
    })
    const one = await visitor.tab(start)
    await planned(one)
    await rename(one, 'ours')
    const two = await visitor.tab()
    await opened(two, 'ours')
    // A change here shows there.
    await rename(one, 'ours too')
    await opened(two, 'ours too')
    // Both at once, before either has received the other's message: both are kept.
    for (const tab of [one, two])
      await tab.evaluate(() => document.documentElement.setAttribute('data-deaf', ''))
    await Promise.all([type(one, 'left'), type(two, 'right')])
    await expect
      .poll(async () => {
        await one.getByRole('button', { name: 'Scenarios' }).click()
        const listed = await one.getByRole('dialog').innerText()
        await one.keyboard.press('Escape')
        return listed.includes('left') && listed.includes('right')
      })
      .toBe(true)
  }))

test('storage that stops answering is told, and the page works', () =>
  visit(async visitor => {
    const page = await visitor.tab(start)
    await planned(page)
    await rename(page, 'kept')
    const other = await wedge(visitor)
    await type(page, 'wedged')
    await page.getByText('kept for this visit only').waitFor()
    await planned(page)
    expect(await title(page).inputValue()).toBe('wedged')
    // It is kept once storage answers.
    await other.close()
    await page.reload()
    await opened(page, 'wedged')
  }))

test('what was open last shows once storage answers, unless something was done meanwhile', () =>
  visit(async visitor => {
    const before = await visitor.tab(start)
    await planned(before)
    await rename(before, 'last time')
    await before.close()
    const other = await wedge(visitor)
    const [idle, busy] = [await visitor.tab(), await visitor.tab()]
    for (const page of [idle, busy]) {
      // To stop the search changes nothing.
      await stop(page)
      expect(await title(page).inputValue()).toBe('quickstart')
    }
    await type(busy, 'meanwhile')
    await busy.getByText('kept for this visit only').waitFor()
    await other.close()
    await opened(idle, 'last time')
    await busy.getByRole('banner').getByText('saved', { exact: true }).waitFor()
    expect(await title(busy).inputValue()).toBe('meanwhile')
    await idle.getByRole('button', { name: 'Scenarios' }).click()
    for (const name of ['last time', 'meanwhile'])
      await idle.getByRole('dialog').getByText(name).first().waitFor()
  }))

test('storage that cannot be opened is told, and the page works', () =>
  visit(async visitor => {
    const other = await visitor.tab('favicon.svg')
    // Its next version waits forever, because this one stays open; later requests wait too.
    await other.evaluate(
      () =>
        new Promise<void>(resolve => {
          indexedDB.open('jigsaw', 1).onsuccess = () => {
            indexedDB.open('jigsaw', 2).onblocked = () => resolve()
          }
        }),
    )
    const page = await visitor.tab(start)
    await planned(page)
    await type(page, 'wedged')
    await page.getByText('kept for this visit only').waitFor()
    // Still there after a reload: the tab has it.
    await page.reload()
    await planned(page)
    expect(await title(page).inputValue()).toBe('wedged')
  }))

test('after the first visit the network is not needed', () =>
  visit(
    async visitor => {
      const page = await visitor.tab()
      await planned(page)
      await page.evaluate(() => navigator.serviceWorker.ready)
      await visitor.context.setOffline(true)
      await page.reload()
      await planned(page)
      // The browser serves that by itself; any other address of the page is served by the service worker.
      await page.goto(`${home}?from=elsewhere`)
      await planned(page)
      await stop(page)
      await page.getByText('Both', { exact: true }).click()
      await page.locator('.cm-content').waitFor()
    },
    { serviceWorkers: 'allow' },
  ))
