// Nothing is lost, and nothing that comes from elsewhere does harm.
import { deflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { home, planned, settled, shoot, stop, useBrowser, visit } from './harness'

useBrowser()

const name = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true })
const link = (content: unknown) => `#1.${deflateRawSync(JSON.stringify(content)).toString('base64url')}`

async function rename(page: Page, to: string): Promise<void> {
  await name(page).fill(to)
  await name(page).press('Enter')
  await page.getByText('saved', { exact: true }).waitFor()
}

async function shared(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const field = page.getByRole('textbox', { name: /^Link/ })
  await field.waitFor()
  const found = await field.inputValue()
  await page.keyboard.press('Escape')
  return found
}

test('a link brings the same state to another browser', async () => {
  let sent = ''
  await visit(async visitor => {
    const page = await visitor.tab()
    await planned(page)
    await name(page).fill('from afar')
    await name(page).press('Enter')
    await page.getByLabel('Seed').fill('7')
    await page.getByLabel('Seed').press('Enter')
    await settled(page)
    await page.locator('canvas').first().click({ position: { x: 300, y: 60 } })
    await page.getByRole('button', { name: 'Zoom to it' }).click()
    sent = await shared(page)
    expect(sent.length).toBeLessThanOrEqual(2000)
  })
  await visit(async visitor => {
    const page = await visitor.tab(sent.slice(home.length))
    await planned(page)
    expect(await name(page).inputValue()).toBe('from afar')
    expect(await page.getByLabel('Seed').inputValue()).toBe('7')
    expect(await shared(page)).toBe(sent)
    // Another link in the same tab is heard.
    await page.evaluate(hash => {
      location.hash = hash
    }, link({ text: (await page.evaluate(() => '')) || 'version: 1\nname: second\n' }))
    await expect.poll(() => name(page).inputValue()).toBe('second')
  })
})

test('a broken link changes nothing and says so', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await planned(page)
    await rename(page, 'mine')
    for (const bad of ['#1.AAAA', '#1.', '#9.abc', link([1, 2]), link({ text: 5 }), link('x'), `#1.${'A'.repeat(300_000)}`, link({ text: 'a'.repeat(3_000_000) })]) {
      await page.evaluate(hash => {
        location.hash = hash
      }, bad)
      await page.getByText('The share link does not work').waitFor()
      expect(await name(page).inputValue()).toBe('mine')
      await page.evaluate(() => {
        location.hash = ''
      })
    }
    await page.reload()
    await planned(page)
    expect(await name(page).inputValue()).toBe('mine')
  }))

test('hostile names are text', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await planned(page)
    const evil = `<img src=x onerror=alert(1)>\\"'><script>alert(2)</script>`
    await page.getByText('Both', { exact: true }).click()
    await rename(page, evil)
    await page.getByRole('button', { name: /^vgg/ }).click()
    const job = page.getByRole('textbox', { name: 'Name', exact: true }).nth(1)
    await job.fill('<svg/onload=alert(3)>')
    await job.press('Enter')
    await settled(page)
    for (const tab of ['Explain', 'Progress', 'Compare', 'Depths']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.waitForTimeout(200)
    }
    await page.getByRole('button', { name: 'Scenarios' }).click()
    await page.getByRole('dialog').getByText('<script>').first().waitFor()
    expect(await page.locator('img[src=x], svg[onload], main script').count()).toBe(0)
    const nested = `{"version":1,"cluster":${'['.repeat(5000)}${']'.repeat(5000)}}`
    await page.evaluate(hash => {
      location.hash = hash
    }, link({ text: nested }))
    await page.getByText(/problem/).first().waitFor()
  }))

test('a scenario outlives a reload, and its history brings it back', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await planned(page)
    await rename(page, 'first')
    await rename(page, 'second')
    await page.reload()
    await planned(page)
    expect(await name(page).inputValue()).toBe('second')
    await page.getByRole('button', { name: 'Scenarios' }).click()
    await shoot(page, 'scenarios')
    await page.getByRole('dialog').getByRole('button', { name: /History/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: /Restore|Bring back/ }).last().click()
    await expect.poll(() => name(page).inputValue()).toBe('first')
  }))

test('two tabs lose nothing', () =>
  visit(async visitor => {
    const one = await visitor.tab()
    await planned(one)
    await rename(one, 'ours')
    const two = await visitor.tab()
    await expect.poll(() => name(two).inputValue()).toBe('ours')
    await planned(two)
    // A change here shows there.
    await rename(one, 'ours too')
    await expect.poll(() => name(two).inputValue()).toBe('ours too')
    // Both at once: both are kept.
    await Promise.all([name(one).fill('left'), name(two).fill('right')])
    await Promise.all([name(one).press('Enter'), name(two).press('Enter')])
    await expect
      .poll(async () => {
        await one.getByRole('button', { name: 'Scenarios' }).click()
        const listed = await one.getByRole('dialog').innerText()
        await one.keyboard.press('Escape')
        return listed.includes('left') && listed.includes('right')
      })
      .toBe(true)
  }))

test('storage that never answers is told, and the page works', () =>
  visit(async visitor => {
    await visitor.context.addInitScript(() => {
      // Workers have an indexedDB of their own: theirs is wedged by a database that is held open below.
    })
    const holder = await visitor.tab()
    await planned(holder)
    await rename(holder, 'held')
    const wedge = await visitor.context.newPage()
    await wedge.goto(`${home}favicon.svg`)
    // A deletion that waits for ever blocks every later opening.
    await wedge.evaluate(async () => {
      for (const { name } of await indexedDB.databases()) {
        if (!name) continue
        await new Promise<void>(resolve => {
          const held = indexedDB.open(name)
          held.onsuccess = () => {
            const database = held.result
            database.onversionchange = () => {}
            const stores = [...database.objectStoreNames]
            const transaction = database.transaction(stores, 'readwrite')
            const store = transaction.objectStore(stores[0] ?? '')
            const spin = () => {
              store.count().onsuccess = spin
            }
            spin()
            resolve()
          }
        })
      }
    })
    await name(holder).fill('wedged')
    await name(holder).press('Enter')
    await holder.getByText(/not saved|kept for this visit only/).first().waitFor()
    await settled(holder)
  }))

test('after the first visit the network is not needed', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await planned(page)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await expect.poll(() => page.evaluate(async () => (await caches.keys()).length)).toBeGreaterThan(0)
    await expect
      .poll(() => page.evaluate(async () => {
        for (const key of await caches.keys()) {
          const names = (await (await caches.open(key)).keys()).map(request => request.url)
          if (names.some(url => url.includes('core-'))) return true
        }
        return false
      }), { timeout: 30_000 })
      .toBe(true)
    await visitor.context.setOffline(true)
    await page.reload()
    await planned(page)
    await stop(page)
  }))
