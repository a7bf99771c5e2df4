// What a component that draws on canvases needs to know: its own width, the theme, and when
// to draw.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { DARK, LIGHT, type Theme } from './palette'

function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? DARK : LIGHT
}

/** The page's theme, from data-theme of the root. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => {
    const update = () => setTheme(currentTheme())
    update()
    const observer = new MutationObserver(update)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return theme
}

/** The width of an element in CSS pixels; 0 until it is known. */
export function useWidth(ref: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return width
}

/** Device pixels per CSS pixel, also after a move to another screen or a zoom of the page. */
export function usePixelRatio(): number {
  const [ratio, setRatio] = useState(() => window.devicePixelRatio || 1)
  useEffect(() => {
    const query = window.matchMedia(`(resolution: ${ratio}dppx)`)
    const update = () => setRatio(window.devicePixelRatio || 1)
    query.addEventListener('change', update)
    return () => query.removeEventListener('change', update)
  }, [ratio])
  return ratio
}

/** Whether the page is being printed: paper does not scroll. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const listen = ({ type }: Event) => setPrinting(type === 'beforeprint')
    for (const type of ['beforeprint', 'afterprint']) window.addEventListener(type, listen)
    return () => {
      for (const type of ['beforeprint', 'afterprint']) window.removeEventListener(type, listen)
    }
  }, [])
  return printing
}

/** Calls back whenever a font of the page has loaded. */
export function useFonts(come: () => void): void {
  const latest = useRef(come)
  latest.current = come
  useEffect(() => {
    const listener = () => latest.current()
    document.fonts.addEventListener('loadingdone', listener)
    return () => document.fonts.removeEventListener('loadingdone', listener)
  }, [])
}

/** Calls draw once in the next frame, however often that is requested. */
export function useFrame(draw: () => void): () => void {
  const latest = useRef(draw)
  latest.current = draw
  const pending = useRef(0)
  useEffect(() => () => cancelAnimationFrame(pending.current), [])
  return useCallback(() => {
    if (pending.current) return
    pending.current = requestAnimationFrame(() => {
      pending.current = 0
      latest.current()
    })
  }, [])
}

/** Gives a canvas a size in CSS pixels. */
export function sizeCanvas(canvas: HTMLCanvasElement, width: number, height: number, dpr: number): void {
  const w = Math.round(width * dpr)
  const h = Math.round(height * dpr)
  if (canvas.width !== w) canvas.width = w
  if (canvas.height !== h) canvas.height = h
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
}
