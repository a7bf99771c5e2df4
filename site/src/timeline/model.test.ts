import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { hit } from './hit'
import { AXIS_HEIGHT, clampScroll, layout, rowAt, rowsSeen, scrollTo } from './layout'
import { bands } from './links'
import { buildModel, gpuName, type Model, syncsOf, tasksOf } from './model'
import { elementOf, firstSeen, neighbour, placeOf } from './move'
import { occupancy } from './overview'
import { LIGHT } from './palette'
import { type Element, type Scene, selectionOf, timeAt, xOf } from './scene'
import { whyStarts } from './why'

function sceneOf(m: Model, width = 1200): Scene {
  return {
    model: m,
    layout: layout(m, { width, maxGpus: 300, maxLinks: 120, rowHeight: 0, overview: true }),
    range: { from: 0, to: m.span },
    horizon: m.span,
    scroll: { gpus: 0, links: 0 },
    theme: LIGHT,
    usage: null,
    bound: null,
    certified: false,
    chain: [],
    selection: null,
  }
}

const plans = {
  small: fixture(),
  rack: fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 2400, seed: 3 }),
  periodic: fixture({ periodic: true, tasks: 120, seed: 5 }),
}

for (const [name, { instance, result }] of Object.entries(plans)) {
  const schedule = result.schedule!
  const m = buildModel(instance, schedule)

  describe(`model of ${name}`, () => {
    it('has every task on the row of its GPU', () => {
      const time = new Float64Array(schedule.tasks.job.length)
      for (let row = 0; row < m.gpus.length; row++)
        for (let b = m.tasks.first[row]!; b < m.tasks.first[row + 1]!; b++) {
          const i = m.tasks.item[b]!
          expect(schedule.tasks.gpu[i]).toBe(m.gpus[row])
          time[i]! += m.tasks.to[b]! - m.tasks.from[b]!
          expect(m.tasks.to[b]!).toBeLessThanOrEqual(m.span)
        }
      schedule.tasks.job.forEach((_, i) => {
        expect(time[i]).toBeCloseTo(schedule.tasks.end[i]! - schedule.tasks.start[i]!)
      })
    })
    it('has every sync on a row for each of its links, as high as its share', () => {
      const rowOf = new Map<number, number>()
      m.links.forEach((row, r) => {
        for (const l of row.links) rowOf.set(l, r)
      })
      schedule.syncs.job.forEach((job, i) => {
        const span = schedule.spans[job]!
        for (const use of span.links) {
          const row = rowOf.get(use.link)
          expect(row).toBeDefined()
          let area = 0
          for (let b = m.syncs.first[row!]!; b < m.syncs.first[row! + 1]!; b++)
            if (m.syncs.item[b] === i)
              area += (m.syncs.to[b]! - m.syncs.from[b]!) * (m.syncs.high[b]! - m.syncs.low[b]!)
          const share =
            (span.slowest / schedule.syncs.rate[i]!) * (use.times / instance.links[use.link]!.capacity)
          expect(area).toBeCloseTo(share * (schedule.syncs.end[i]! - schedule.syncs.start[i]!), 3)
        }
      })
    })
    it('stacks syncs without overlap', () => {
      for (let row = 0; row < m.links.length; row++)
        for (let a = m.syncs.first[row]!; a < m.syncs.first[row + 1]!; a++)
          for (let b = a + 1; b < m.syncs.first[row + 1]! && m.syncs.from[b]! < m.syncs.to[a]!; b++) {
            const apart =
              m.syncs.low[b]! >= m.syncs.high[a]! - 1e-5 || m.syncs.high[b]! <= m.syncs.low[a]! + 1e-5
            expect(apart).toBe(true)
          }
    })
    it('finds iterations', () => {
      const { job, iteration } = schedule.tasks
      for (const i of [0, job.length >> 1, job.length - 1]) {
        const want = [...job.keys()].filter(k => job[k] === job[i] && iteration[k] === iteration[i])
        expect([...tasksOf(m, job[i]!, iteration[i]!)].sort((a, b) => a - b)).toEqual(want)
        expect(tasksOf(m, job[i]!, 0).length).toBe([...job].filter(j => j === job[i]).length)
      }
      expect(tasksOf(m, 0, 1e9)).toHaveLength(0)
      expect(syncsOf(m, 1e6, 0)).toHaveLength(0)
    })
    it('has an overview that adds up', () => {
      const busy = schedule.tasks.job.reduce(
        (sum, _, i) => sum + schedule.tasks.end[i]! - schedule.tasks.start[i]!,
        0,
      )
      const shares = occupancy(m, m.span, 700)
      expect(shares.reduce((a, b) => a + b, 0) / 700).toBeCloseTo(busy / m.span / m.gpus.length, 4)
      for (const share of shares) expect(share).toBeLessThanOrEqual(1 + 1e-6)
    })
    it('selects and finds again every element', () => {
      const step = Math.max(schedule.tasks.job.length >> 6, 1)
      for (let i = 0; i < schedule.tasks.job.length; i += step)
        expect(elementOf(m, selectionOf(m, { kind: 'task', index: i }))).toEqual({ kind: 'task', index: i })
      for (let i = 0; i < schedule.syncs.job.length; i += step)
        expect(elementOf(m, selectionOf(m, { kind: 'sync', index: i }))).toEqual({ kind: 'sync', index: i })
    })
  })

  describe(`hit testing of ${name}`, () => {
    const s = sceneOf(m)
    it('finds the bar that is drawn at a place', () => {
      let tried = 0
      for (let row = 0; row < m.gpus.length; row++) {
        const y = s.layout.gpus.top + s.layout.gpus.y[row]! + s.layout.gpus.rowHeight / 2
        if (y >= s.layout.gpus.top + s.layout.gpus.height) break
        for (let b = m.tasks.first[row]!; b < m.tasks.first[row + 1]!; b++) {
          const x = xOf(s, (m.tasks.from[b]! + m.tasks.to[b]!) / 2)
          expect(hit(s, x, y)).toEqual({
            area: 'bar',
            element: { kind: 'task', index: m.tasks.item[b] },
            row,
          })
          tried++
        }
      }
      expect(tried).toBeGreaterThan(20)
    })
    it('finds the sync of a stack that is under the pointer', () => {
      for (let row = 0; row < m.links.length; row++) {
        const top = s.layout.links.top + s.layout.links.y[row]!
        if (top + s.layout.links.rowHeight > s.layout.links.top + s.layout.links.height) break
        for (let b = m.syncs.first[row]!; b < m.syncs.first[row + 1]!; b++) {
          const y = top + (1 - (m.syncs.low[b]! + m.syncs.high[b]!) / 2) * s.layout.links.rowHeight
          const found = hit(s, xOf(s, (m.syncs.from[b]! + m.syncs.to[b]!) / 2), y)
          expect(found).toMatchObject({ area: 'bar', element: { kind: 'sync', index: m.syncs.item[b] } })
        }
      }
    })
    it('knows idle time, axis and overview', () => {
      expect(hit(s, 400, 5).area).toBe('axis')
      expect(hit(s, 400, s.layout.overviewTop + 3).area).toBe('overview')
      expect(hit(s, 5, AXIS_HEIGHT + 5).area).toBe('none')
      for (let row = 0; row < m.gpus.length; row++) {
        const y = s.layout.gpus.top + s.layout.gpus.y[row]! + 2
        if (y >= s.layout.gpus.top + s.layout.gpus.height) break
        for (let b = m.tasks.first[row]!; b + 1 < m.tasks.first[row + 1]!; b++) {
          const from = m.tasks.to[b]!
          const to = m.tasks.from[b + 1]!
          if (xOf(s, to) - xOf(s, from) < 10) continue
          expect(hit(s, xOf(s, (from + to) / 2), y)).toEqual({ area: 'gap', pane: 'gpus', row, from, to })
        }
      }
    })
    it('maps times to places and back', () => {
      for (const t of [0, 1, m.span / 3, m.span]) expect(timeAt(s, xOf(s, t))).toBeCloseTo(t)
    })
  })

  describe(`keyboard steps in ${name}`, () => {
    it('visit every task of a row, one after the other', () => {
      const row = 0
      const items = [...m.tasks.item.subarray(m.tasks.first[row]!, m.tasks.first[row + 1]!)]
      const distinct = [...new Set(items)]
      let at: Element | null = firstSeen(m, { from: 0, to: m.span }, [0, 1])
      expect(at?.index).toBe(items[0])
      const seen = new Set<number>()
      while (at && !seen.has(at.index)) {
        seen.add(at.index)
        at = neighbour(m, at, 'right', row)?.element ?? null
      }
      // A task that crosses the boundary is at both ends of a period.
      expect(seen.size).toBe(distinct.length)
    })
    it('come from the first GPU to the last link and back', () => {
      let at = { element: firstSeen(m, { from: 0, to: m.span }, [0, m.gpus.length])!, row: 0 }
      let steps = 0
      for (let next: typeof at | null = at; next; next = neighbour(m, at.element, 'down', at.row)) {
        at = next
        if (steps++ > 500) throw new Error('no end')
      }
      expect(at.element.kind).toBe('sync')
      expect(at.row).toBe(m.links.length - 1)
      for (let next: typeof at | null = at; next; next = neighbour(m, at.element, 'up', at.row)) {
        at = next
        if (steps++ > 1000) throw new Error('no end')
      }
      expect(placeOf(m, at.element)).toMatchObject({ pane: 'gpus', row: 0 })
    })
  })

  describe(`why in ${name}`, () => {
    it('names a cause that ends when the effect starts', () => {
      const kinds = new Set<string>()
      const all: Element[] = [
        ...[...schedule.tasks.job.keys()].map(index => ({ kind: 'task' as const, index })),
        ...[...schedule.syncs.job.keys()].map(index => ({ kind: 'sync' as const, index })),
      ]
      for (const e of all.slice(0, 400)) {
        const why = whyStarts(m, e)
        kinds.add(why.kind)
        if (!why.cause) continue
        const list = (x: Element) => (x.kind === 'task' ? schedule.tasks : schedule.syncs)
        const gap = list(e).start[e.index]! - list(why.cause).end[why.cause.index]!
        expect(m.period > 0 ? ((gap % m.period) + m.period) % m.period : gap).toBe(0)
      }
      for (const kind of ['gpu', 'sync', 'tasks']) expect(kinds).toContain(kind)
    })
  })
}

describe('rows', () => {
  const m = buildModel(plans.rack.instance, plans.rack.result.schedule!)
  const { gpus } = layout(m, { width: 900, maxGpus: 200, maxLinks: 100, rowHeight: 10, overview: true })
  it('are found by their height', () => {
    for (let row = 0; row < m.gpus.length; row++) {
      expect(rowAt(gpus, gpus.y[row]!)).toBe(row)
      expect(rowAt(gpus, gpus.y[row]! + gpus.rowHeight - 0.01)).toBe(row)
    }
    expect(rowAt(gpus, -1)).toBe(-1)
    expect(rowAt(gpus, gpus.content + 1)).toBe(-1)
  })
  it('are all seen by scrolling', () => {
    const seen = new Set<number>()
    for (let scroll = 0; scroll <= gpus.content; scroll += 50) {
      const [first, end] = rowsSeen(gpus, clampScroll(gpus, scroll))
      for (let row = first; row < end; row++) seen.add(row)
    }
    expect(seen.size).toBe(m.gpus.length)
  })
  it('come into sight when asked for', () => {
    for (const row of [0, 17, m.gpus.length - 1]) {
      const scroll = scrollTo(gpus, 0, row)
      expect(gpus.y[row]!).toBeGreaterThanOrEqual(scroll)
      expect(gpus.y[row]! + gpus.rowHeight).toBeLessThanOrEqual(scroll + gpus.height)
    }
  })
  it('have names', () => {
    expect(gpuName(m, 9)).toBe('r0n1.gpu1')
  })
})

describe('bands', () => {
  it('take the lowest free one', () => {
    expect(bands([], 0.5)).toEqual([[0, 0.5]])
    expect(bands([{ low: 0, high: 0.5 }], 0.5)).toEqual([[0.5, 1]])
  })
  it('are several where none is high enough', () => {
    expect(
      bands(
        [
          { low: 0.25, high: 0.5 },
          { low: 0.75, high: 1 },
        ],
        0.5,
      ),
    ).toEqual([
      [0, 0.25],
      [0.5, 0.75],
    ])
  })
  it('show what is over the capacity', () => {
    expect(bands([{ low: 0, high: 1 }], 0.5)).toEqual([[0.5, 1]])
  })
})
