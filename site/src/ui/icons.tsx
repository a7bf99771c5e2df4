// Icons as shapes, because fonts lack the characters. Each is beside a name or in a button with one.
const shapes = {
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  undo: 'M6 4 3 7l3 3M3 7h6.5a3.5 3.5 0 0 1 0 7H7',
  redo: 'M10 4l3 3-3 3M13 7H6.5a3.5 3.5 0 0 0 0 7H9',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  close: 'M4 4l8 8M12 4l-8 8',
  power: 'M8 2v6M4.8 4.2a5 5 0 1 0 6.4 0',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  play: 'M5 3l8 5-8 5z',
  stop: 'M4 4h8v8H4z',
  pin: 'M6 2h4l-.5 4L12 8.5v1H4v-1L6.5 6zM8 9.5V14',
  share:
    'M6 9a2.5 2.5 0 0 0 3.6.2l2.4-2.4a2.5 2.5 0 0 0-3.5-3.5L7.5 4.3M10 7a2.5 2.5 0 0 0-3.6-.2L4 9.2a2.5 2.5 0 0 0 3.5 3.5l1-1',
  help: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.5M8 12.3h.01',
  aside: 'M2 3h12v10H2zM6.5 3v10',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  grid: 'M2 3h5v4H2zM9 3h5v4H9zM2 9h5v4H2zM9 9h5v4H9z',
  download: 'M8 2v8M5 7l3 3 3-3M3 11v3h10v-3',
  upload: 'M8 10V2M5 5l3-3 3 3M3 11v3h10v-3',
} as const

export type IconName = keyof typeof shapes

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  )
}
