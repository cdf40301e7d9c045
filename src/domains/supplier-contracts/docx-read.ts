import { Readable } from 'node:stream'
import { XMLParser } from 'fast-xml-parser'
import JSZip from 'jszip'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { DocumentParagraph, DocumentText } from './written-text.ts'

const MB = 1024 * 1024
const MAX_XML_BYTES = 20 * MB
const MAX_ENTRIES = 5000
const MAX_DEPTH = 200
const MAX_PARAGRAPHS = 20_000

const unreadable = (why: string) => preconditionFailed(`The Word file cannot be read: ${why}. Save it again as .docx and repeat the call`)

/** Reads the paragraphs of a Word document with its tracked changes. */
export async function readDocx(bytes: Buffer): Promise<DocumentText> {
  const xml = await readDocumentXml(bytes)
  refuseHostileXml(xml)
  const body = findBody(parseXml(xml))
  const paragraphs: DocumentParagraph[] = []
  const seen = { tracked: false }
  collectParagraphs(body, paragraphs, seen)
  return { paragraphs, hasTrackedChanges: seen.tracked, isWrapped: false }
}

async function readDocumentXml(bytes: Buffer): Promise<string> {
  const zip = await JSZip.loadAsync(bytes).catch(() => {
    throw unreadable('it is not a complete .docx archive')
  })
  if (Object.keys(zip.files).length > MAX_ENTRIES) throw unreadable(`it has more than ${MAX_ENTRIES} parts`)
  const entry = zip.file('word/document.xml')
  if (!entry) throw unreadable('it has no document text')
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The decompressed bytes are counted, because the size that a ZIP archive declares for an entry may be wrong.
    for await (const chunk of new Readable().wrap(entry.nodeStream('nodebuffer')) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_XML_BYTES) break
      chunks.push(chunk)
    }
  } catch {
    throw unreadable('its archive is damaged')
  }
  if (size > MAX_XML_BYTES) throw unreadable(`its text is larger than ${MAX_XML_BYTES / MB} MB`)
  return Buffer.concat(chunks).toString('utf8')
}

/** Throws if the XML has a document type or deep nesting. Word writes neither, and attackers use both to exhaust parsers. */
function refuseHostileXml(xml: string): void {
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) throw unreadable('it declares its own entities')
  let depth = 0
  for (const [tag] of xml.matchAll(/<[^!?][^>]*>/g)) {
    if (tag.startsWith('</')) depth--
    else if (!tag.endsWith('/>')) depth++
    if (depth > MAX_DEPTH) throw unreadable(`its elements are nested more than ${MAX_DEPTH} levels`)
  }
}

/** An XML element with its children in order, in the `preserveOrder` format: one key is the name, `:@` has the attributes. */
type Node = Record<string, unknown>

function parseXml(xml: string): Node[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: true,
  })
  try {
    return parser.parse(xml) as Node[]
  } catch {
    throw unreadable('its text is not valid XML')
  }
}

const nameOf = (node: Node) => Object.keys(node).find((key) => key !== ':@') ?? ''
const childrenOf = (node: Node) => (node[nameOf(node)] ?? []) as Node[]
const childNamed = (nodes: readonly Node[], name: string) => nodes.find((node) => name in node)

function findBody(nodes: readonly Node[]): Node[] {
  const document = childNamed(nodes, 'w:document')
  const body = document && childNamed(childrenOf(document), 'w:body')
  if (!body) throw unreadable('it has no document text')
  return childrenOf(body)
}

function collectParagraphs(nodes: readonly Node[], paragraphs: DocumentParagraph[], seen: { tracked: boolean }): void {
  for (const node of nodes) {
    const name = nameOf(node)
    if (name === 'w:p') paragraphs.push(readParagraph(childrenOf(node), seen))
    // Elements other than paragraphs are searched too, because tables, content controls and moved blocks contain paragraphs.
    else if (typeof node[name] === 'object') collectParagraphs(childrenOf(node), paragraphs, seen)
    if (paragraphs.length > MAX_PARAGRAPHS) throw unreadable(`it has more than ${MAX_PARAGRAPHS} paragraphs`)
  }
}

interface Texts {
  old: string
  now: string
}

function readParagraph(nodes: readonly Node[], seen: { tracked: boolean }): DocumentParagraph {
  const properties = childNamed(nodes, 'w:pPr')
  const own = properties ? childrenOf(properties) : []
  const style = childNamed(own, 'w:pStyle')?.[':@'] as Record<string, string> | undefined
  const mark = childNamed(own, 'w:rPr')
  const marks = mark ? childrenOf(mark) : []
  const texts: Texts = { old: '', now: '' }
  readRuns(nodes, texts, 'both', seen)
  const isInserted = childNamed(marks, 'w:ins') !== undefined && texts.old === ''
  const isDeleted = childNamed(marks, 'w:del') !== undefined && texts.now === ''
  if (isInserted || isDeleted) seen.tracked = true
  return {
    old: isInserted || (texts.old === '' && texts.now !== '') ? null : texts.old,
    now: isDeleted || (texts.now === '' && texts.old !== '') ? null : texts.now,
    isHeading: /^(heading|überschrift|berschrift|titre|título|titolo|kop)\s*\d/i.test(style?.['w:val'] ?? ''),
  }
}

const DELETING = new Set(['w:del', 'w:moveFrom'])
const INSERTING = new Set(['w:ins', 'w:moveTo'])

function readRuns(nodes: readonly Node[], texts: Texts, side: 'both' | 'old' | 'now', seen: { tracked: boolean }): void {
  for (const node of nodes) {
    const name = nameOf(node)
    if (name === 'w:pPr' || name === 'w:rPr' || name === 'w:instrText') continue
    if (name === 'w:t' || name === 'w:delText')
      append(
        texts,
        side,
        childrenOf(node)
          .map((child) => String(child['#text'] ?? ''))
          .join(''),
      )
    else if (name === 'w:tab') append(texts, side, ' ')
    else if (name === 'w:br' || name === 'w:cr') append(texts, side, '\n')
    else if (name === 'w:noBreakHyphen') append(texts, side, '-')
    else if (DELETING.has(name) || INSERTING.has(name)) {
      seen.tracked = true
      const inner = DELETING.has(name) ? 'old' : 'now'
      // Text that was inserted and then deleted is neither in the old nor in the new text.
      if (side === 'both' || side === inner) readRuns(childrenOf(node), texts, inner, seen)
    } else if (typeof node[name] === 'object') readRuns(childrenOf(node), texts, side, seen)
  }
}

function append(texts: Texts, side: 'both' | 'old' | 'now', text: string): void {
  if (side !== 'now') texts.old += text
  if (side !== 'old') texts.now += text
}
