/** Media types that browsers display without running code. All other files are downloaded, including SVG, which can contain scripts. */
const INLINE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'])

export interface ContentDispositionHeaders {
  'content-disposition': string
  'content-security-policy': string
}

/** Headers that restrict how a browser treats an uploaded file. */
export function buildContentDispositionHeaders(
  { name, mime }: { name: string; mime: string },
  download: boolean,
): ContentDispositionHeaders {
  const inline = !download && INLINE_TYPES.has(mime)
  // PDF files get no `sandbox` directive: browsers do not open their PDF viewer inside a sandbox, and the viewer has a sandbox of its own.
  const sandbox = inline && mime === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-disposition': `${inline ? 'inline' : 'attachment'}; filename="${plainName(name)}"; filename*=UTF-8''${encodeRfc8187(name)}`,
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'${sandbox}`,
  }
}

/** The file name in ASCII, for clients that do not support the `filename*` parameter. */
const plainName = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w .()-]/g, '_')

/** Also escapes the characters that `encodeURIComponent` leaves unescaped but RFC 8187 does not allow. */
const encodeRfc8187 = (name: string) =>
  encodeURIComponent(name).replace(/['()*!~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
