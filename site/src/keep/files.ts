// Files in and out of the page.
import { textLimit } from './snapshot'

/** A file name made from the scenario's name, as the core does: the command of a plan names the file of the text. */
export const fileName = (name: string): string =>
  name.replace(/\W+/g, '-').replace(/^-/, '').slice(0, 60).replace(/-$/, '') || 'scenario'

/** Gives the visitor a file. */
export function download(name: string, data: string | Blob, mime = 'text/plain'): void {
  const url = URL.createObjectURL(typeof data === 'string' ? new Blob([data], { type: mime }) : data)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By then the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Asks for a file; null if the visitor chose none. */
export function pickFile(): Promise<File | null> {
  return new Promise(resolve => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = '.yaml,.yml,.json,application/yaml,application/json,text/plain'
    input.oncancel = () => resolve(null)
    input.onchange = () => resolve(input.files?.[0] ?? null)
    input.click()
  })
}

/** Reads a file. Throws if it is not text, or too long for a scenario or a model. */
export async function readText(file: Blob): Promise<string> {
  // Checked before reading: a huge file must not fill the memory.
  if (file.size > textLimit) throw new Error(`the file has ${file.size} bytes; at most ${textLimit} are read`)
  const bytes = await file.arrayBuffer()
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('the file is not text in UTF-8')
  }
  if (text.includes('\0')) throw new Error('the file is not text')
  return text
}

/** Draws an SVG picture into a PNG, at twice its size for sharp print. */
export async function toPNG(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    // Browsers refuse to draw larger canvases.
    const scale = Math.min(2, 16_000 / Math.max(image.naturalWidth, image.naturalHeight, 1))
    canvas.width = Math.ceil(image.naturalWidth * scale)
    canvas.height = Math.ceil(image.naturalHeight * scale)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('the browser cannot draw')
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        blob => (blob ? resolve(blob) : reject(new Error('the picture is too large'))),
        'image/png',
      ),
    )
  } finally {
    URL.revokeObjectURL(url)
  }
}
