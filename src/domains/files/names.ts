import { fileExtensionOf } from './content-type.ts'

const MAX_NAME_CHARACTERS = 120

/** File extensions of each content type; the first is the default. */
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
  'text/html': ['html'],
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

/** Characters that a file name must not contain, such as path separators, control characters and bidirectional overrides. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}"*:<>?|\\/]/gu

/** Returns a safe file name whose extension matches the content, so that a picture sent as HTML is not opened as HTML. */
export function toSafeFileName(sent: string, mime: string): string {
  const last = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
  const clean = last
    .normalize('NFC')
    .replace(UNSAFE_CHARACTERS, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const [fallback, ...others] = EXTENSIONS[mime] ?? ['bin']
  const extension = [fallback, ...others].find((one) => one === fileExtensionOf(clean))
  const stem = extension ? clean.slice(0, -extension.length - 1) : clean
  const letters = [...stem].slice(0, MAX_NAME_CHARACTERS).join('').trim() || 'file'
  return `${letters}.${extension ?? fallback}`
}
