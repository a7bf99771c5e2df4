// A picture drawn by the core, in the theme of the page, which has a heading of its own.
import { useEffect, useRef } from 'preact/hooks'
import { theme } from '../state/theme'

const SIDE = 14
const TOP = 34

interface PictureProps {
  svg: string
  /** Says what it shows. */
  label: string
  /** Called with the clicked shape, which carries a name in its data attributes. */
  onPick?(shape: SVGElement): void
  /** Whether it takes the available width. */
  wide?: boolean
}

export function Picture({ svg, label, onPick, wide }: PictureProps) {
  const host = useRef<HTMLDivElement>(null)
  const shown = theme.value
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    // The page's policy does not allow style sheets in markup, and its theme may differ from the system's.
    const [head = '', rules = '', body = ''] = svg.split(/<\/?style>/)
    const picture = new DOMParser().parseFromString(head + body, 'image/svg+xml').documentElement
    const sheet = new CSSStyleSheet()
    const media = shown === 'dark' ? '@media all' : '@media not all'
    sheet.replaceSync(
      `${rules.replace('@media (prefers-color-scheme:dark)', media)}
      svg{display:block;${wide ? 'width:100%;min-width:44rem;height:auto' : 'max-width:none'}}.jigsaw .h,.jigsaw .page{display:none}${onPick ? '[data-link],[data-node]{cursor:pointer}' : ''}`,
    )
    // Without the margins and the space of the heading.
    const [, , width = 0, height = 0] = (picture.getAttribute('viewBox') ?? '').split(' ').map(Number)
    picture.setAttribute('viewBox', `${SIDE} ${TOP} ${width - 2 * SIDE} ${height - TOP}`)
    picture.setAttribute('width', `${width - 2 * SIDE}`)
    picture.setAttribute('height', `${height - TOP}`)
    picture.setAttribute('role', 'img')
    picture.setAttribute('aria-label', label)
    root.adoptedStyleSheets = [sheet]
    root.replaceChildren(picture)
    if (onPick) picture.addEventListener('click', event => onPick(event.target as SVGElement))
  }, [svg, label, shown])
  return <div ref={host} class={wide ? undefined : 'picture'} />
}
