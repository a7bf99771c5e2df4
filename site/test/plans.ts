// The plans that tests of the timeline run on: a small one, one of two racks, one that repeats.

import type { Moves } from '../src/timeline/gestures'
import { layout } from '../src/timeline/layout'
import type { Model } from '../src/timeline/model'
import { LIGHT } from '../src/timeline/palette'
import type { Scene } from '../src/timeline/scene'
import { fixture } from './fixture'

export const plans = {
  small: fixture(),
  rack: fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 2400, seed: 3 }),
  periodic: fixture({ periodic: true, tasks: 120, seed: 5 }),
}

/** Everything in sight. */
export function sceneOf(m: Model, width = 1200): Scene {
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
    pattern: false,
    selection: null,
  }
}

/** The middle half of a plan in sight, and gestures that move it. */
export function halfSeen(m: Model, movable = false): { scene: Scene; moves: Moves } {
  const scene = { ...sceneOf(m), range: { from: m.span / 4, to: (3 * m.span) / 4 } }
  const moves: Moves = {
    scene: () => scene,
    setRange: range => {
      scene.range = range
    },
    setScroll: scroll => {
      scene.scroll = scroll
    },
    setRowHeight: rowHeight => {
      scene.layout = { ...scene.layout, gpus: { ...scene.layout.gpus, rowHeight } }
    },
    hover: () => {},
    click: () => {},
    doubleClick: () => {},
    movable,
    carry: () => {},
  }
  return { scene, moves }
}
