import MarkdownIt from 'markdown-it'

interface DocHeading {
  level: number
  id: string
  text: string
}

/** The words under one heading, for searching. */
interface DocSection {
  heading: DocHeading
  text: string
}

export interface Rendered {
  html: string
  sections: DocSection[]
}

// HTML in the source stays text, and the library lets no script address through: a page shows what was written and runs nothing.
const markdown = new MarkdownIt({ html: false })
const { escapeHtml } = markdown.utils
const { rules } = markdown.renderer
type Token = ReturnType<typeof markdown.parse>[number]

const attribute = (token: Token | undefined, name: string) => escapeHtml(String(token?.attrGet(name) ?? ''))

rules.heading_open = (tokens, at) => {
  const { tag } = tokens[at]!
  const id = attribute(tokens[at], 'id')
  return tag === 'h1' ? '<h1>' : `<${tag} id="${id}"><a class="anchor" href="#${id}">`
}
rules.heading_close = (tokens, at) => (tokens[at]!.tag === 'h1' ? '</h1>\n' : `</a></${tokens[at]!.tag}>\n`)

rules.fence = (tokens, at) => {
  const id = attribute(tokens[at], 'id')
  const code = `<pre id="${id}" tabindex="0"><code>${escapeHtml(tokens[at]!.content)}</code></pre>`
  return `<div class="copy">${code}<button type="button" class="button small needs-script" data-copy="${id}">Copy</button></div>\n`
}

rules.table_open = (tokens, at) =>
  `<div class="table-wrap" tabindex="0" role="region" aria-label="Table: ${attribute(tokens[at], 'title')}">\n<table class="${attribute(tokens[at], 'class')}">\n`
rules.table_close = () => '</table>\n</div>\n'

export function renderMarkdown(source: string): Rendered {
  const tokens = markdown.parse(source, {})
  const sections: DocSection[] = []
  let codes = 0
  for (const [at, token] of tokens.entries()) {
    const last = sections.at(-1)
    if (token.type === 'heading_open') {
      const text = wordsOf(tokens[at + 1]!)
      const heading = { level: Number(token.tag.slice(1)), id: freeAnchor(text, sections), text }
      token.attrSet('id', heading.id)
      sections.push({ heading, text: '' })
    } else if (token.type === 'table_open') {
      token.attrSet('title', last?.heading.text ?? '')
      token.attrSet('class', 'table')
      foldTable(tokens, at)
    }
    if (token.type === 'fence') token.attrSet('id', `code-${++codes}`)
    if (last && (token.type === 'fence' || (token.type === 'inline' && tokens[at - 1]!.type !== 'heading_open'))) {
      last.text += `${wordsOf(token)} `
    }
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections }
}

/** Longer than this on average, what stands in the last column is sentences. */
const SENTENCES = 30

/**
 * On a phone the rows of a table with sentences become small cards: the first cell is the title, every other one stands under the heading
 * of its column. A table of short words is read across, and scrolls; headings in all its cells would be most of the page.
 */
function foldTable(tokens: readonly Token[], at: number): void {
  const end = tokens.findIndex(({ type }, i) => i > at && type === 'table_close')
  const inside = tokens.slice(at, end)
  const wordsAfter = (type: string) => inside.flatMap((token, i) => (token.type === type ? [{ token, words: wordsOf(inside[i + 1]!) }] : []))
  const labels = wordsAfter('th_open').map(({ words }) => words)
  const cells = wordsAfter('td_open')
  const last = cells.filter((_, i) => i % labels.length === labels.length - 1)
  const length = last.reduce((sum, { words }) => sum + words.length, 0)
  if (labels.length > 2 && length < SENTENCES * last.length) return
  tokens[at]!.attrSet('class', 'table folds')
  // Where there is only one other, it speaks for itself.
  if (labels.length > 2)
    for (const [i, { token }] of cells.entries()) if (i % labels.length > 0) token.attrSet('data-label', labels[i % labels.length]!)
}

const wordsOf = ({ children, content }: Token) => (children ? children.map((part) => part.content).join('') : content)

/** As GitHub makes it, so that one link works in both places. */
function freeAnchor(text: string, sections: readonly DocSection[]): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-')
  const taken = new Set(sections.map(({ heading }) => heading.id))
  for (let i = 0; ; i++) {
    const id = i === 0 ? base : `${base}-${i}`
    if (!taken.has(id)) return id
  }
}
