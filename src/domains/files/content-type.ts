/** Number of bytes at the start of a file that are inspected. Office documents (ZIP archives) show their type in an early entry. */
export const INSPECTED_LEADING_BYTES = 64 * 1024

const GZIP = Buffer.from([0x1f, 0x8b])

/**
 * Detects the type from the bytes, regardless of name and declared type. Text types are distinguished by the file extension if the
 * content is consistent with it.
 */
export async function detectContentType(head: Buffer, name: string): Promise<string> {
  // Gzip is recognized here, because the type detection library would decompress it.
  if (head.subarray(0, 2).equals(GZIP)) return 'application/gzip'
  const wide = decodeWideText(head)
  const found = wide === null ? await findKnownType(head) : undefined
  if (found === 'application/zip') return findOfficeType(head) ?? found
  if (found !== undefined && found !== 'application/xml') return COMMON_TYPE_NAMES[found] ?? found
  const text = wide ?? decodeText(head)
  return text === null ? 'application/octet-stream' : detectTextType(text, fileExtensionOf(name))
}

async function findKnownType(head: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type')
  return (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
}

/** More common names for some of the MIME types that the detection library returns. */
const COMMON_TYPE_NAMES: Record<string, string> = { 'image/apng': 'image/png', 'audio/mp4': 'video/mp4', 'video/x-m4v': 'video/mp4' }

export const fileExtensionOf = (name: string) => /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]!.toLowerCase() ?? ''

const ENTRY = Buffer.from('PK\x03\x04')
const NAME_AT = 30

const OFFICE: Record<string, string> = {
  word: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xl: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** Detects an office document by the folder and the content list in its archive. The library would need the complete archive. */
function findOfficeType(head: Buffer): string | null {
  const names: string[] = []
  for (let at = head.indexOf(ENTRY); at >= 0; at = head.indexOf(ENTRY, at + 4))
    if (at + NAME_AT <= head.length) names.push(head.toString('latin1', at + NAME_AT, at + NAME_AT + head.readUInt16LE(at + 26)))
  const folder = names.map((name) => name.slice(0, name.indexOf('/'))).find((one) => Object.hasOwn(OFFICE, one))
  return folder !== undefined && names.some((name) => name === '[Content_Types].xml' || name === '_rels/.rels') ? OFFICE[folder]! : null
}

/** Decodes UTF-16 text, which starts with a byte order mark; null for anything else. */
function decodeWideText(head: Buffer): string | null {
  const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null
  const text = encoding && new TextDecoder(encoding).decode(head.subarray(0, head.length & ~1))
  return text && ![...text].some((letter) => isNotText(letter.codePointAt(0)!)) ? text : null
}

/** Decodes text; null if the bytes are not text. Single-byte encodings are accepted, because older spreadsheets use them. */
function decodeText(head: Buffer): string | null {
  const bare = head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? head.subarray(3) : head
  return bare.some(isNotText) ? null : bare.toString('latin1')
}

const BLANKS = new Set([0x09, 0x0a, 0x0c, 0x0d])

/** Whether a character code is a control character or the replacement character, which text files do not contain. */
const isNotText = (code: number) => (code < 0x20 && !BLANKS.has(code)) || code === 0x7f || code === 0xfffd

function detectTextType(text: string, extension: string): string {
  const root = findRootElement(text)
  if (root !== null)
    return root === 'svg' || root.endsWith(':svg') ? 'image/svg+xml' : text.includes('<?xml') ? 'application/xml' : 'text/html'
  const start = text.slice(blanksFrom(text, 0)).slice(0, 40)
  if (/^BEGIN:VCALENDAR\b/i.test(start)) return 'text/calendar'
  if (/^WEBVTT\b/.test(start)) return 'text/vtt'
  if (isDrawing(text)) return 'image/vnd.dxf'
  if (extension === 'json' && /^[[{]/.test(start)) return 'application/json'
  return BY_EXTENSION[extension] ?? 'text/plain'
}

function blanksFrom(text: string, at: number): number {
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

/**
 * Returns the name of the first markup element, or null. Reads sequentially, because a regular expression could backtrack over comments.
 */
function findRootElement(text: string): string | null {
  for (let at = blanksFrom(text, 0); text[at] === '<'; at = blanksFrom(text, at)) {
    const rest = text.slice(at + 1, at + 40)
    const name = /^[a-z][\w:-]*/i.exec(rest)
    if (name) return name[0].toLowerCase()
    const end = rest.startsWith('!--') ? '-->' : rest.startsWith('?') ? '?>' : rest.startsWith('!') ? '>' : null
    const list = end === '>' ? text.slice(at, text.indexOf('>', at) + 1).includes('[') : false
    const inner = list ? text.indexOf(']', at) : at
    const to = end === null || inner < 0 ? -1 : text.indexOf(end, inner)
    if (to < 0) return null
    at = to + end!.length
  }
  return null
}

/** Whether the text is a DXF drawing: pairs of a group code and a value; comments (999) may precede the first section. */
function isDrawing(text: string): boolean {
  const lines = text.split('\n', 40).map((line) => line.trim())
  for (let at = 0; at + 1 < lines.length; at += 2) if (lines[at] !== '999') return lines[at] === '0' && lines[at + 1] === 'SECTION'
  return false
}

const BY_EXTENSION: Record<string, string> = { csv: 'text/csv', tsv: 'text/tab-separated-values', tab: 'text/tab-separated-values' }
