// Accessibility: by keyboard alone, for screen readers, dark, on a phone.
import { expect, test } from 'vitest'
import {
  exampleText,
  faults,
  linkTo,
  planned,
  settled,
  shoot,
  short,
  small,
  stop,
  useBrowser,
  visit,
  withScenario,
} from './harness'

useBrowser()

test('axe finds nothing, in light and in dark', () =>
  withScenario(exampleText('quickstart'), async page => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    /** What axe finds in what shows, whose picture is kept under that name; all outside of the part has been examined before. */
    const examine = async (name: string, part = 'html') => {
      expect(await faults(page), name).toEqual([])
      await shoot(page, `${name}-light`)
      // The dark page differs from the light one only in colours.
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await faults(page, ['color-contrast'], part), `${name}, dark`).toEqual([])
      await shoot(page, `${name}-dark`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    await stop(page)
    await examine('main')
    await page.getByRole('button', { name: /^vgg / }).click()
    await examine('job')
    await page.keyboard.press('p')
    for (const tab of ['Explain', 'Failures', 'Progress', 'Compare', 'Depths']) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByText('Loading.').waitFor({ state: 'detached' })
      await page.getByRole('tabpanel').scrollIntoViewIfNeeded()
      await examine(tab.toLowerCase(), '[role=tabpanel], [role=tablist]')
    }
    for (const key of ['g', 'o', 'e', 's', '?']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      await examine(`dialog-${key === '?' ? 'help' : key}`, 'dialog')
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
    }
    await page.getByText('Both', { exact: true }).click()
    await page.locator('.cm-content').waitFor()
    await examine('editor')
  }))

test('a phone shows all of it, without scrolling sideways', () =>
  visit(
    async visitor => {
      const page = await visitor.tab()
      await planned(page)
      await stop(page)
      await shoot(page, 'phone')
      // The header takes one row, and the rows of the GPUs are on the first screen.
      expect((await page.getByRole('banner').boundingBox())!.height).toBeLessThan(56)
      const timeline = await page.getByRole('application').boundingBox()
      expect(timeline?.y).toBeLessThan(420)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByLabel('Effort').waitFor()
      expect(await faults(page)).toEqual([])
      await shoot(page, 'phone-more')
      await page.keyboard.press('Escape')
      await page.getByLabel('Effort').waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('region', { name: 'Numbers' }).getByText('Makespan').first().tap()
      await page.getByLabel('Effort').waitFor({ state: 'hidden' })
      await page.getByRole('note', { name: 'What the picture shows' }).waitFor()
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways).toBeLessThanOrEqual(0)
      expect(await faults(page)).toEqual([])
      await page.getByRole('region', { name: 'Plan', exact: true }).scrollIntoViewIfNeeded()
      await shoot(page, 'phone-plan')
      // Each step of the tour shows the numbers that it is about, though it begins below them.
      await page.getByRole('button', { name: 'Take the tour' }).click()
      const gain = (await page.getByRole('switch', { name: 'SPB' }).boundingBox())!
      expect(gain.y).toBeGreaterThan((await page.getByRole('banner').boundingBox())!.height)
      expect(gain.y).toBeLessThan(300)
      await shoot(page, 'phone-tour')
      await page.getByRole('button', { name: 'End the tour' }).click()
      // Help describes touch gestures; keys are folded away.
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'Help' }).click()
      const help = page.getByRole('dialog', { name: 'Help' })
      await help.getByText('Tap a bar').waitFor()
      expect(await help.getByText('plan thoroughly').isVisible()).toBe(false)
      await shoot(page, 'phone-help')
      await page.keyboard.press('Escape')
      // The scenario gets the whole page, like the plan.
      await page.getByRole('navigation').getByRole('button', { name: 'Scenario', exact: true }).click()
      await page.locator('.job-title').first().click()
      expect(await faults(page)).toEqual([])
      await shoot(page, 'phone-scenario')
      await page.getByRole('link', { name: 'Skip to the plan' }).press('Enter')
      const plan = page.getByRole('region', { name: 'Plan', exact: true })
      await expect.poll(() => plan.evaluate(at => at === document.activeElement)).toBe(true)
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  ))

test('the keyboard alone reaches the plan, its tasks and its end', () =>
  withScenario(exampleText('quickstart'), async page => {
    await planned(page)
    await page.keyboard.press('Escape')
    await settled(page)
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement
        return `${at?.getAttribute('role') ?? at?.tagName} ${at?.getAttribute('aria-label') ?? at?.textContent ?? ''}`
      })
    const seen: string[] = []
    for (let i = 0; i < 120; i++) {
      await page.keyboard.press('Tab')
      const at = await focused()
      seen.push(at)
      if (/^application/.test(at)) break
    }
    expect(seen.at(-1)).toMatch(/^application/)
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('region', { name: 'Plan', exact: true }).innerText()).toMatch(/iteration \d+/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await focused()).not.toMatch(/^application/)
  }))

test('every number has its definition, for pointer, keyboard and screen reader', () =>
  withScenario(short, async page => {
    await settled(page)
    const tip = page.locator('[role=tooltip]:popover-open')
    const numbers = page.getByRole('region', { name: 'Numbers' })
    const names = [
      'Makespan',
      'Certified bound',
      'Gap',
      'Efficiency',
      'Weighted completion',
      'GPUs busy',
      'What is SPB?',
    ]
    for (const name of names) {
      const word = numbers.getByRole('button', { name, exact: true })
      await word.hover()
      expect(await tip.count(), name).toBe(1)
      const text = await tip.innerText()
      expect(text.length).toBeGreaterThan(40)
      const box = (await tip.boundingBox())!
      expect(box.x + box.width).toBeLessThanOrEqual(1440)
      await page.mouse.move(700, 890)
      await tip.waitFor({ state: 'detached' })
      await word.focus()
      expect(await tip.innerText()).toBe(text)
      expect(
        await word.evaluate(at => document.getElementById(at.getAttribute('aria-describedby')!)?.textContent),
      ).toBe(text)
      await page.keyboard.press('Escape')
      expect(await tip.count()).toBe(0)
    }
    // Below the timeline as well.
    const panel = page.getByRole('tabpanel')
    for (const [tab, words] of Object.entries({
      Explain: ['What limits it', 'Bound, predicted', 'Bound, verified', 'Plan'],
      Progress: ['Plan and bound over time', 'Time', 'Plan', 'Bound', 'Gap', 'Columns', 'Nodes'],
      Depths: [
        'What is the mean depth?',
        'Time of a task',
        'Memory while it runs',
        'Gradients synchronised',
        'Depths in this plan',
        'Depth',
        'Saved',
        'Backward',
        'Parameters',
        'First layer of depth',
      ],
    })) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByText('Loading.').waitFor({ state: 'detached' })
      for (const table of await panel.getByText('Table', { exact: true }).all()) await table.click()
      for (const name of words) {
        const word = panel.getByRole('button', { name, exact: true }).first()
        await word.hover()
        const text = await tip.innerText()
        expect(text.length, `${name}`).toBeGreaterThan(20)
        await page.mouse.move(700, 5)
        await tip.waitFor({ state: 'detached' })
        await word.focus()
        expect(await tip.innerText()).toBe(text)
        await page.keyboard.press('Escape')
      }
    }
    await numbers.getByRole('button', { name: 'Gap', exact: true }).hover()
    await shoot(page, 'definition')
    expect(await faults(page)).toEqual([])
  }))

test('what a field expects shows for pointer and keyboard, beside the field, until Escape', () =>
  withScenario(small, async page => {
    await stop(page)
    const tip = page.locator('[role=tooltip]:popover-open')
    await page.getByRole('button', { name: /^a alexnet/ }).press('Enter')
    await page.getByText('More', { exact: true }).click()
    const form = page.getByRole('form', { name: 'Scenario form' })
    // With the pointer on the name of the field.
    await form.getByText('Copies', { exact: true }).hover()
    expect(await tip.innerText()).toBe('How many identical jobs this entry stands for.')
    await page.mouse.move(700, 5)
    await tip.waitFor({ state: 'detached' })
    // By Tab alone, through fields that scroll into sight on the way: slider and number, texts, lists, boxes.
    const told = new Map<string, string>()
    await form.getByRole('slider', { name: 'Copies, slider' }).focus()
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      const [label, hint] = await page.evaluate(() => {
        const at = document.activeElement as HTMLInputElement
        const id = at.getAttribute('aria-describedby')
        return [at.labels?.[0]?.textContent ?? '', (id && document.getElementById(id)?.textContent) ?? '']
      })
      await expect.poll(() => tip.count(), { message: label }).toBe(hint ? 1 : 0)
      if (!hint || !label) continue
      expect(await tip.innerText()).toBe(hint)
      told.set(label, hint)
      const field = (await page.locator('.field:focus-within').boundingBox())!
      const box = (await tip.boundingBox())!
      expect(
        Math.min(Math.abs(box.y - field.y - field.height), Math.abs(field.y - box.y - box.height)),
      ).toBeLessThan(8)
      if (label === 'Common start') break
    }
    for (const label of ['Copies', 'Weight', 'Release', 'Rule', 'Optimizer', 'Checkpointing', 'Common start'])
      expect([...told.keys()]).toContain(label)
    await page.keyboard.press('Escape')
    await expect.poll(() => tip.count()).toBe(0)
    // While a slider is dragged by pointer, the hint must not hide anything.
    await form.getByRole('slider', { name: 'Weight, slider' }).click()
    expect(await tip.count()).toBe(0)
    // In the header as well.
    await page.getByLabel('Seed').focus()
    expect(await tip.innerText()).toBe('The same seed gives the same plan.')
    await shoot(page, 'hint')
    expect(await faults(page)).toEqual([])
  }))

test('the figures stand together, level with what is beside them', () =>
  withScenario(small, async page => {
    await stop(page)
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!
    const figures = await box('.big-figures')
    const first = await box('.meters li:first-child')
    expect(first.y - figures.y - figures.height).toBeLessThan(12)
    const last = await box('.meters li:last-child')
    const bound = await box('.ways li:last-child')
    expect(Math.abs(last.y + last.height - bound.y - bound.height)).toBeLessThan(4)
  }))

test('the plan has all of the width where the scenario is hidden', () =>
  withScenario(small, async page => {
    await stop(page)
    const scenario = page.getByRole('region', { name: 'Scenario', exact: true })
    const toggle = page.getByRole('button', { name: 'Scenario beside the plan' })
    const width = async () =>
      (await page.getByRole('region', { name: 'Plan', exact: true }).boundingBox())!.width
    const beside = await width()
    await toggle.click()
    await scenario.waitFor({ state: 'hidden' })
    expect(await width()).toBeGreaterThan(1430)
    expect(await faults(page)).toEqual([])
    // The next visit keeps this.
    await page.reload()
    await planned(page)
    expect(await scenario.isVisible()).toBe(false)
    await page.keyboard.press('b')
    await scenario.waitFor()
    expect(await width()).toBe(beside)
  }))

test('no figure is cut off', () =>
  withScenario(exampleText('policy'), async page => {
    await stop(page)
    for (const width of [680, 720, 768, 820, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const cut = await page.locator('.big-figures dd, .meters .number').evaluateAll(all =>
        all
          .filter(e => {
            const text = document.createRange()
            text.selectNodeContents(e)
            const { right } = text.getBoundingClientRect()
            return right > Math.min(innerWidth, e.parentElement!.getBoundingClientRect().right + 1)
          })
          .map(e => e.textContent),
      )
      expect(cut, `${width} px`).toEqual([])
    }
  }))

test('on paper is the plan, all of it, and nothing else', () =>
  withScenario(small, async page => {
    await stop(page)
    await page.setViewportSize({ width: 720, height: 400 })
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    expect(await page.getByRole('form').isVisible()).toBe(false)
    const end = (await page.getByRole('tabpanel').boundingBox())!
    const length = await page.evaluate(() => document.documentElement.scrollHeight)
    expect(end.y + end.height).toBeGreaterThan(400)
    expect(length).toBeGreaterThanOrEqual(Math.floor(end.y + end.height))
  }))

test('on paper are rows that a screen scrolls to', () => {
  const text = small.replace('nodes: 1', 'nodes: 8').replace('gpus: 2', 'gpus: 8')
  return withScenario(
    text,
    async page => {
      await stop(page)
      await page.locator('.timeline-box.scrolls').waitFor()
      // Synchronously, as before a page is printed.
      const [all, colours] = await page.evaluate(async () => {
        dispatchEvent(new Event('beforeprint'))
        await Promise.resolve()
        const canvas = document.querySelector<HTMLCanvasElement>('.timeline-base')!
        const { width, height } = canvas
        const { data } = canvas.getContext('2d')!.getImageData(0, height - 60, width, 60)
        return [!document.querySelector('.timeline-box.scrolls'), new Set(new Uint32Array(data.buffer)).size]
      })
      expect(all).toBe(true)
      expect(colours).toBeGreaterThan(2)
      await page.evaluate(() => dispatchEvent(new Event('afterprint')))
      await page.locator('.timeline-box.scrolls').waitFor()
    },
    { viewport: { width: 1440, height: 500 } },
  )
})

test('the form fits its place', () =>
  withScenario(
    small,
    async page => {
      await stop(page)
      await page.locator('.job-title').first().click()
      const form = page.getByRole('form', { name: 'Scenario form' })
      expect(await form.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    },
    { viewport: { width: 1024, height: 768 } },
  ))

test('a dialog gives the focus back, and its key works in the timeline', () =>
  withScenario(exampleText('quickstart'), async page => {
    await stop(page)
    const menu = page.getByRole('button', { name: 'Gallery', exact: true })
    await menu.press('Enter')
    await page.getByRole('button', { name: 'Open rack', exact: true }).press('Enter')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await menu.evaluate(button => button === document.activeElement)).toBe(true)
    await page.getByRole('application').press('?')
    await page.getByRole('dialog', { name: 'Help' }).waitFor()
  }))

test('a part of the page that cannot be loaded says so', () =>
  visit(async visitor => {
    await visitor.context.route(/Editor-/, route => route.abort())
    const page = await visitor.tab(linkTo({ text: small }))
    await stop(page)
    await page.getByText('YAML', { exact: true }).click()
    await page.getByRole('alert').getByText('could not be loaded').waitFor()
    // The browser reports it in the console as well.
    expect(visitor.wrongs.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
  }))

test('a planner that cannot be loaded says so', () =>
  visit(async visitor => {
    await visitor.context.route(/compiler-/, route => route.abort())
    const page = await visitor.tab()
    await page.getByRole('alert').getByText('the planner could not be loaded').waitFor()
  }))

test('a dialog opens again though the browser has not told yet that it is closed', () =>
  withScenario(small, async page => {
    await settled(page)
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.waitFor()
    await page.evaluate(async () => {
      const first = document.querySelector('dialog')
      const told = new Promise(resolve => first?.addEventListener('close', resolve))
      // As with Escape: the event comes in a task of its own, and the key may be pressed before.
      first?.close()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true }))
      await told
    })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  }))
