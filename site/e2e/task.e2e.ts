// The question that the page is there for, asked with the mouse alone: 4 nodes of 8 GPUs, six
// ResNet-50 and three BERT. What does partial backpropagation gain, what would a faster
// network, and what if a GPU fails?
import { expect, test } from 'vitest'
import { planned, settled, shoot, stop, useBrowser, visit } from './harness'

useBrowser()

test('what would I gain is answered by mouse', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    const slide = (name: string, value: number) =>
      form.getByRole('slider', { name: `${name}, slider` }).fill(String(value))
    await slide('Nodes per rack', 4)
    await slide('GPUs per node', 8)
    for (const job of ['vgg', 'inception', 'alex'])
      await form.getByRole('button', { name: `Remove ${job}` }).click()
    await form.getByRole('button', { name: /^resnet / }).click()
    await slide('Copies', 6)
    await form.getByRole('button', { name: /^translate / }).click()
    await form.getByLabel('Model').selectOption('bert24')
    await slide('Copies', 3)
    await slide('Workers', 4)
    await form.getByText('3 × bert24, 4').waitFor()
    await form.getByText('6 × resnet50, 4').waitFor()
    await settled(page)

    const numbers = page.getByRole('region', { name: 'Numbers' })
    const gain = numbers.getByText(/^Partial backpropagation \(SPB\) ends sooner than full depth by [\d.]+/)
    await gain.waitFor()
    expect(await numbers.innerText()).toMatch(/no plan can be more than .* better|no plan is better/)

    const change = (name: RegExp) =>
      page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
    for (const name of [/the network$/, /a GPU of r0n0 fails/]) {
      await change(name)
        .getByRole('button', { name: /^Try it/ })
        .click()
      await change(name)
        .getByRole('button', { name: /^Take over/ })
        .waitFor()
      expect(await change(name).innerText()).toMatch(/\ss → .*\ss/)
    }
    await change(/the network$/).scrollIntoViewIfNeeded()
    await shoot(page, 'task')
    await change(/a GPU of r0n0 fails/)
      .getByRole('button', { name: /^Take over/ })
      .click()
    await page.getByText('The change is in the scenario; undo takes it back.').waitFor()
    await planned(page)
    await settled(page)
    await gain.waitFor()
  }))

test('a link that does not work is told on a first visit', () =>
  visit(async visitor => {
    const page = await visitor.tab('#1.cut')
    await page.getByText(/^The share link does not work/).waitFor()
    await stop(page)
    await page.getByText(/^The share link does not work/).waitFor()
  }))

test('a job that is added is the one whose form is open, in sight', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    const form = page.getByRole('form', { name: 'Scenario form' })
    await form.getByRole('button', { name: /^vgg / }).click()
    await form.getByRole('button', { name: '+ Job' }).click()
    const row = form.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^resnet50 / }) })
    await expect.poll(() => row.getByRole('button', { expanded: true }).count()).toBe(1)
    expect(await form.getByRole('button', { expanded: true }).count()).toBe(1)
    const box = await row.boundingBox()
    expect(box!.y).toBeLessThan(900)
  }))

test('a tab below the fold comes into sight with its panel', () =>
  visit(async visitor => {
    const page = await visitor.tab()
    await stop(page)
    await page.getByRole('main').evaluate(main => main.scrollTo(0, 0))
    await page.getByRole('tab', { name: 'Depths' }).click()
    await expect
      .poll(async () => {
        const box = await page.getByRole('tabpanel').boundingBox()
        return box !== null && box.y < 800
      })
      .toBe(true)
  }))
