// When the canvases of a timeline are drawn, and which: the plan below, and above it what follows the
// pointer and the selection.

import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { baseParts, drawBase } from './draw'
import { type Boxes, carry, MORPH_MS } from './morph'
import { drawOverlay, type Pointer } from './overlay'
import { forgetWidths, newPen } from './pen'
import { type Scene, sameBase } from './scene'
import { sizeCanvas, useFonts, useFrame, usePixelRatio } from './useCanvas'

/** Whether the visitor prefers reduced motion. */
const calm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches

interface Canvases {
  base: RefObject<HTMLCanvasElement | null>
  overlay: RefObject<HTMLCanvasElement | null>
}

/**
 * Draws after each rendering. width is that of the container, 0 until it is known; still: no animation between
 * plans; now: draw without waiting for the next frame, because there is none when the page is printed.
 */
export function useDrawing(
  { base, overlay }: Canvases,
  latest: { readonly current: Scene },
  pointer: Pointer | null,
  { width, still, now }: { width: number; still: boolean; now: boolean },
): void {
  const dpr = usePixelRatio()
  const onItsWay = useMorph(still)
  const drawnBase = useRef<Scene | null>(null)
  /** The remaining parts of the first drawing; null before it. */
  const unfinished = useRef<(typeof baseParts)[number][] | null>(null)
  const paint = () => {
    const s = onItsWay(latest.current)
    const below = base.current?.getContext('2d', { alpha: false })
    const above = overlay.current?.getContext('2d')
    if (!base.current || !overlay.current || !below || !above || width === 0) return
    const font = getComputedStyle(base.current).fontFamily
    if (drawnBase.current === null || !sameBase(drawnBase.current, s)) {
      sizeCanvas(base.current, s.layout.width, s.layout.height, dpr)
      drawnBase.current = s
      if (unfinished.current) {
        drawBase(newPen(below, dpr, s.theme, font), s)
        unfinished.current = []
      } else unfinished.current = [...baseParts]
    }
    // The drawing code is compiled on first use: the first time, each part has its own frame.
    const part = unfinished.current?.shift()
    if (part) {
      part(newPen(below, dpr, s.theme, font), s)
      return draw()
    }
    sizeCanvas(overlay.current, s.layout.width, s.layout.height, dpr)
    // Chain and outlines belong to the tasks' final positions.
    const over = s.moving ? { ...s, chain: [], selection: null } : s
    drawOverlay(newPen(above, dpr, s.theme, font), over, pointer)
    if (s.moving) draw()
  }
  const draw = useFrame(paint)
  useLayoutEffect(() => {
    drawnBase.current = null
  }, [dpr])
  useLayoutEffect(now ? paint : draw)
  useFonts(() => {
    forgetWidths()
    drawnBase.current = null
    draw()
  })
}

/** For a plan of another instance, as after a change of the scenario, tasks move to their new positions. */
function useMorph(still: boolean): (s: Scene) => Scene {
  const morph = useRef<{ origin: Scene; from: Boxes; since: number } | null>(null)
  const last = useRef<Scene | null>(null)
  return s => {
    const former = last.current
    last.current = s
    const now = performance.now()
    if (former && former.model !== s.model) {
      // A better plan of the same instance changes their targets, but does not start an animation.
      const same = former.model.instance.digest === s.model.instance.digest
      const { origin, since } = same && morph.current ? morph.current : { origin: former, since: now }
      const moves = (!same || morph.current) && !still && !calm()
      const from = moves ? carry(origin, s.model) : null
      morph.current = from && { origin, from, since }
    }
    const at = morph.current ? (now - morph.current.since) / MORPH_MS : 1
    if (at >= 1) morph.current = null
    return morph.current ? { ...s, moving: { from: morph.current.from, at } } : s
  }
}
