/** Types that browsers show without running code. Everything else is downloaded; SVG can contain scripts. */
const INLINE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'])

export interface Disposition {
  'content-disposition': string
  'content-security-policy': string
}

/** Headers that restrict how a browser treats an uploaded file. */
export function buildDisposition({ name, mime }: { name: string; mime: string }, download: boolean): Disposition {
  const inline = !download && INLINE_TYPES.has(mime)
  // Browsers do not open their PDF viewer inside a sandbox; the viewer is sandboxed itself.
  const sandbox = inline && mime === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-disposition': `${inline ? 'inline' : 'attachment'}; filename="${plainName(name)}"; filename*=UTF-8''${encodeRfc8187(name)}`,
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'${sandbox}`,
  }
}

/** ASCII fallback for clients that do not read `filename*`. */
const plainName = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w .()-]/g, '_')

/** RFC 8187 allows fewer characters than `encodeURIComponent` leaves unescaped. */
const encodeRfc8187 = (name: string) =>
  encodeURIComponent(name).replace(/['()*!~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
