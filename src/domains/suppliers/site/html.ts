import sanitize from 'sanitize-html'

/** The parts of a web page from which facts are read. */
export interface HtmlPage {
  /** The contents of `meta` elements, by lower-case property or name. */
  meta: ReadonlyMap<string, string>
  links: readonly { href: string; text: string }[]
  /** The cell texts of each table row. */
  tables: readonly (readonly (readonly string[])[])[]
  /** The parsed contents of JSON-LD scripts. */
  jsonLd: readonly unknown[]
}

/** The maximum number of characters of a page that are read, so that no page blocks the process. */
const MAX_CHARACTERS = 400_000
const MAX_LINKS = 2000
const MAX_TABLES = 50
const MAX_ROWS = 300
const MAX_CELLS = 40

/** Parses a web page. Its scripts are never run. */
export function parseHtmlPage(source: string): HtmlPage {
  const html = source.slice(0, MAX_CHARACTERS)
  const reader = createReader()
  // The sanitizer is used as an error-tolerant parser; its output is discarded.
  sanitize(html, {
    allowedTags: [],
    onOpenTag: (name, attributes) => reader.open(name, attributes),
    onCloseTag: (name) => reader.close(name),
    textFilter: (text) => {
      reader.text(unescape(text))
      return ''
    },
  })
  return { ...reader.page, jsonLd: listScripts(html).flatMap(parseJson) }
}

function createReader() {
  const meta = new Map<string, string>()
  const links: { href: string; text: string }[] = []
  const tables: string[][][] = []
  // The tables that contain the current position, innermost last.
  const open: string[][][] = []
  let link: { href: string; text: string } | null = null
  const addText = (text: string) => {
    if (link) link.text += text
    const row = open.at(-1)?.at(-1)
    if (row && row.length > 0) row[row.length - 1] += text
  }
  return {
    page: { meta, links, tables },
    open(name: string, attributes: Record<string, string>) {
      if (name === 'meta') {
        const key = (attributes['property'] ?? attributes['name'] ?? '').toLowerCase()
        if (key !== '' && attributes['content'] !== undefined && !meta.has(key)) meta.set(key, attributes['content'].trim())
      } else if (name === 'a' && attributes['href'] !== undefined && links.length < MAX_LINKS) {
        link = { href: attributes['href'].trim(), text: '' }
        links.push(link)
      } else if (name === 'table' && tables.length < MAX_TABLES) {
        const table: string[][] = []
        tables.push(table)
        open.push(table)
      } else if (name === 'tr') {
        const table = open.at(-1)
        if (table && table.length < MAX_ROWS) table.push([])
      } else if (name === 'td' || name === 'th') {
        const row = open.at(-1)?.at(-1)
        if (row && row.length < MAX_CELLS) row.push('')
      } else if (name === 'br') addText(' ')
    },
    close(name: string) {
      if (name === 'a') link = null
      if (name === 'table') open.pop()
    },
    text: addText,
  }
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const unescape = (text: string) => text.replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity]!)

/** Lists the contents of JSON-LD scripts. A script ends at the first end tag, regardless of its content. */
function listScripts(html: string): string[] {
  const lower = html.toLowerCase()
  const found: string[] = []
  for (let at = lower.indexOf('<script'); at >= 0; at = lower.indexOf('<script', at + 1)) {
    const start = lower.indexOf('>', at)
    const end = start < 0 ? -1 : lower.indexOf('</script', start)
    if (end < 0) break
    if (lower.slice(at, start).includes('application/ld+json')) found.push(html.slice(start + 1, end))
    at = end
  }
  return found
}

function parseJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}
