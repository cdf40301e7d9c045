import { SHEET_LIMITS, unreadableSheetError } from './limits.ts'

/** Callbacks for the XML elements in document order. Names have no namespace prefix. */
export interface XmlCallbacks {
  open: (name: string, attributes: string) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

export interface XmlParser {
  write: (chunk: string) => void
}

/**
 * Creates a streaming scanner for the XML subset of workbooks. It expands no custom entities, so that input cannot grow; comments and
 * declarations are skipped.
 */
export function createXmlParser(reader: XmlCallbacks): XmlParser {
  let rest = ''
  return {
    write(chunk) {
      const text = rest === '' ? chunk : rest + chunk
      const used = scan(text, reader)
      rest = text.slice(used)
      if (rest.length > SHEET_LIMITS.cellBytes) throw unreadableSheetError('A cell of the workbook is larger than 1 MB')
    },
  }
}

/** Processes the complete tags in a text and returns the length of the processed text. An incomplete tag at the end is not processed. */
function scan(text: string, reader: XmlCallbacks): number {
  let at = 0
  for (;;) {
    const tag = text.indexOf('<', at)
    if (tag < 0) return at
    const end = findTagEnd(text, tag)
    if (end < 0) return at
    if (tag > at) reader.text?.(decodeEntities(text.slice(at, tag)))
    dispatchTag(text, tag, end, reader)
    at = end
  }
}

const CDATA = '<![CDATA['

function findTagEnd(text: string, tag: number): number {
  // The text ends too early to distinguish a comment from CDATA, so the scanner waits for more text.
  if (text.length - tag < CDATA.length && text[tag + 1] === '!') return -1
  const close = text.startsWith('<!--', tag) ? '-->' : text.startsWith(CDATA, tag) ? ']]>' : text[tag + 1] === '?' ? '?>' : null
  if (close !== null) {
    const end = text.indexOf(close, tag)
    return end < 0 ? -1 : end + close.length
  }
  for (let at = tag + 1, quote = 0; at < text.length; at++) {
    const charCode = text.charCodeAt(at)
    if (quote !== 0) quote = charCode === quote ? 0 : quote
    else if (charCode === 0x22 || charCode === 0x27) quote = charCode
    else if (charCode === 0x3e) return at + 1
  }
  return -1
}

function dispatchTag(text: string, tag: number, end: number, reader: XmlCallbacks): void {
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

/** Parses XML attributes by name, without namespace prefix. */
export function parseAttributes(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) found[bareName(name)] = decodeEntities(double ?? single ?? '')
  return found
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string) =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name: string | undefined) => {
        if (name !== undefined) return ENTITIES[name.toLowerCase()]!
        const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole
      })
    : text
