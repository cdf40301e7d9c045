/** Shown by browsers as they are and never run; everything else is saved. A drawing in SVG is a page with scripts. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'])

export interface Disposition {
  'content-disposition': string
  'content-security-policy': string
}

/** How a browser may treat what somebody else uploaded. */
export function dispositionOf({ name, mime }: { name: string; mime: string }, download: boolean): Disposition {
  const inline = !download && SHOWN.has(mime)
  // Browsers do not open their viewer of PDFs in a sandbox; that viewer is one itself.
  const sandbox = inline && mime === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-disposition': `${inline ? 'inline' : 'attachment'}; filename="${plainName(name)}"; filename*=UTF-8''${encoded(name)}`,
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'${sandbox}`,
  }
}

/** For the few that do not read the other form. */
const plainName = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w .()-]/g, '_')

/** RFC 8187 allows fewer characters than `encodeURIComponent` leaves. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*!~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
