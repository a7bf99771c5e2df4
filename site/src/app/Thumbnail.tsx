// A small picture of a scenario's plan.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sketches } from '../state/sketches'
import { newPen } from '../timeline/pen'
import { heightOf, type Sketched, sketch } from '../timeline/sketch'
import { sizeCanvas, usePixelRatio, useTheme, useWidth } from '../timeline/useCanvas'
import { extentOf } from '../views/shown'

const HEIGHT = 84
const NONE = ''

/** Only the rows of a picture drawn by the core. */
function rowsOf(svg: string): string {
  const rows = svg.replace(
    /viewBox="0 0 (\d+) ([\d.]+)"/,
    (_, width, height) => `viewBox="80 104 ${width - 104} ${height - 128}" preserveAspectRatio="none"`,
  )
  return `data:image/svg+xml,${encodeURIComponent(rows)}`
}

interface ThumbnailProps {
  text: string
  sketches: Sketches
  /** Whether it has been visible: it is made only then. */
  seen: boolean
}

export function Thumbnail({ text, sketches, seen }: ThumbnailProps) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(box)
  const dpr = usePixelRatio()
  const theme = useTheme()
  const [plan, setPlan] = useState<Sketched | string | null>(null)
  useEffect(() => {
    if (!seen) return
    const run = new AbortController()
    const show = (made: typeof plan) => !run.signal.aborted && setPlan(made ?? NONE)
    void sketches.of(text, run.signal, show).then(show, () => {})
    return () => run.abort()
  }, [text, seen])
  useLayoutEffect(() => {
    const ctx = canvas.current?.getContext('2d')
    if (!plan || typeof plan === 'string' || !canvas.current || !ctx || width === 0) return
    sizeCanvas(canvas.current, width, HEIGHT, dpr)
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0)
    ctx.clearRect(0, 0, width, HEIGHT)
    const height = heightOf(plan, HEIGHT)
    ctx.translate(0, (HEIGHT - height) / 2)
    sketch(newPen(ctx, dpr, theme, ''), plan, width, height, extentOf(plan))
  }, [plan, width, dpr, theme])
  return (
    <div class={plan && plan !== NONE ? 'thumbnail drawn' : 'thumbnail'} ref={box} aria-hidden="true">
      {plan === NONE ? (
        <p class="muted">No plan exists: see why.</p>
      ) : typeof plan === 'string' ? (
        <img alt="" src={rowsOf(plan)} />
      ) : (
        <canvas ref={canvas} />
      )}
    </div>
  )
}
