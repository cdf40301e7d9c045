import { SHEET_LIMITS, unreadable } from './limits.ts'

/** What a reader wants to know of a part of a workbook, in the order of the text. Names come without their prefix. */
export interface XmlReader {
  open: (name: string, attributes: string) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

export interface XmlScan {
  write: (chunk: string) => void
}

/**
 * Reads markup piece by piece, as much as workbooks use of it. Documents cannot declare entities of their own, so nothing grows here; what
 * is neither a tag nor text is passed over.
 */
export function scanXml(reader: XmlReader): XmlScan {
  let rest = ''
  return {
    write(chunk) {
      const text = rest === '' ? chunk : rest + chunk
      const used = scan(text, reader)
      rest = text.slice(used)
      if (rest.length > SHEET_LIMITS.cellBytes) throw unreadable('A cell of the workbook holds more than 1 MB')
    },
  }
}

/** How much of the text was told; what comes after is not whole yet. */
function scan(text: string, reader: XmlReader): number {
  let at = 0
  for (;;) {
    const tag = text.indexOf('<', at)
    if (tag < 0) return at
    const end = endOf(text, tag)
    if (end < 0) return at
    if (tag > at) reader.text?.(unescaped(text.slice(at, tag)))
    tell(text, tag, end, reader)
    at = end
  }
}

const CDATA = '<![CDATA['

function endOf(text: string, tag: number): number {
  // A start that may yet become one of the longer ones is not judged.
  if (text.length - tag < CDATA.length && text[tag + 1] === '!') return -1
  const close = text.startsWith('<!--', tag) ? '-->' : text.startsWith(CDATA, tag) ? ']]>' : text[tag + 1] === '?' ? '?>' : null
  if (close !== null) {
    const end = text.indexOf(close, tag)
    return end < 0 ? -1 : end + close.length
  }
  for (let at = tag + 1, quote = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (quote !== 0) quote = sign === quote ? 0 : quote
    else if (sign === 0x22 || sign === 0x27) quote = sign
    else if (sign === 0x3e) return at + 1
  }
  return -1
}

function tell(text: string, tag: number, end: number, reader: XmlReader): void {
  const first = text[tag + 1]
  if (first === '/') return reader.close?.(bareName(text.slice(tag + 2, end - 1).trimEnd()))
  if (first === '?') return
  if (first === '!') {
    if (text.startsWith(CDATA, tag)) reader.text?.(text.slice(tag + CDATA.length, end - 3))
    return
  }
  const selfClosed = text[end - 2] === '/'
  const inner = text.slice(tag + 1, selfClosed ? end - 2 : end - 1)
  const blank = inner.search(/\s/)
  const name = bareName(blank < 0 ? inner : inner.slice(0, blank))
  reader.open(name, blank < 0 ? '' : inner.slice(blank))
  if (selfClosed) reader.close?.(name)
}

const bareName = (name: string) => name.slice(name.indexOf(':') + 1)

const ATTRIBUTE = /\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** By their names without prefix. */
export function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) found[bareName(name)] = unescaped(double ?? single ?? '')
  return found
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (text: string) =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name: string | undefined) => {
        if (name !== undefined) return ENTITIES[name.toLowerCase()]!
        const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole
      })
    : text
