import { extensionOf } from './content-type.ts'

const MAX_LENGTH = 120

/** The endings under which a type is known; the first is given to a name that has none of them. */
const EXTENSIONS: Record<string, readonly string[]> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'image/svg+xml': ['svg'],
  'image/vnd.dxf': ['dxf'],
  'application/pdf': ['pdf'],
  'application/zip': ['zip'],
  'application/json': ['json'],
  'text/csv': ['csv'],
  'text/tab-separated-values': ['tsv', 'tab'],
  'text/plain': ['txt', 'text', 'md', 'log'],
  'text/calendar': ['ics'],
  'text/vtt': ['vtt'],
  'video/mp4': ['mp4', 'm4v'],
  'font/woff2': ['woff2'],
  'font/woff': ['woff'],
  'font/ttf': ['ttf'],
  'font/otf': ['otf'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
}

/** Folders, characters of control and those that turn the direction of writing: a name is to be read, and to be nothing else. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}"*:<>?|\\/]/gu

/**
 * A name under which a file can be saved anywhere. It ends as its content does, so that a picture that was sent as a page is not
 * opened as one by whoever saves it.
 */
export function safeName(sent: string, mime: string): string {
  const last = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
  const clean = last
    .normalize('NFC')
    .replace(UNSAFE, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const [fallback, ...others] = EXTENSIONS[mime] ?? ['bin']
  const extension = [fallback, ...others].find((one) => one === extensionOf(clean))
  const stem = extension ? clean.slice(0, -extension.length - 1) : clean
  const letters = [...stem].slice(0, MAX_LENGTH).join('').trim() || 'file'
  return `${letters}.${extension ?? fallback}`
}
