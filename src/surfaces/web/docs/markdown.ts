import MarkdownIt from 'markdown-it'
import { splitUrlAtSlashes } from '../components/split-url.ts'

interface DocHeading {
  level: number
  id: string
  text: string
}

/** The text under one heading, for the search index. */
interface DocSection {
  heading: DocHeading
  /** The paragraphs and table cells of the section without markup. */
  text: string
  /** Code examples, which are searched but never shown as an excerpt. */
  code: string
}

export interface RenderedMarkdown {
  html: string
  sections: DocSection[]
}

// HTML in the source is escaped, and markdown-it removes javascript: links, so a page cannot run scripts.
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

/** Escapes code, and lets URLs break into lines after a slash of their path rather than inside a word. */
const breakUrls = (code: string) =>
  escapeHtml(code).replaceAll(/https?:\/\/[^\s<>"]+/g, (url) => splitUrlAtSlashes(url).join('<wbr>'))

rules.code_inline = (tokens, at) => {
  const { content } = tokens[at]!
  return /^https?:\/\//.test(content) ? `<code class="url">${breakUrls(content)}</code>` : `<code>${escapeHtml(content)}</code>`
}

rules.fence = (tokens, at) => {
  const id = attribute(tokens[at], 'id')
  const code = `<pre id="${id}" tabindex="0"><code>${breakUrls(tokens[at]!.content)}</code></pre>`
  const block = `<div class="copy">${code}<button type="button" class="button small needs-script" data-copy="${id}">Copy</button></div>\n`
  const side = SIDES[tokens[at]!.attrGet('side') ?? '']
  return side ? `${side.before}<div><p class="muted">${side.name}</p>${block}</div>${side.after}` : block
}

/** The titles and markup of a call and its response, which stand next to each other on wide screens. */
const SIDES: Record<string, { name: string; before: string; after: string }> = {
  call: { name: 'Call', before: '<div class="exchange">', after: '' },
  answer: { name: 'Response', before: '', after: '</div>\n' },
}

rules.table_open = (tokens, at) =>
  `<div class="table-wrap" tabindex="0" role="region" aria-label="Table: ${attribute(tokens[at], 'title')}">\n<table class="${attribute(tokens[at], 'class')}">\n`
rules.table_close = () => '</table>\n</div>\n'

export function renderMarkdown(source: string): RenderedMarkdown {
  const tokens = markdown.parse(source, {})
  const sections: DocSection[] = []
  let codes = 0
  for (const [at, token] of tokens.entries()) {
    const last = sections.at(-1)
    if (token.type === 'heading_open') {
      const text = plainText(tokens[at + 1]!)
      const heading = { level: Number(token.tag.slice(1)), id: uniqueAnchor(text, sections), text }
      token.attrSet('id', heading.id)
      sections.push({ heading, text: '', code: '' })
    } else if (token.type === 'table_open') {
      token.attrSet('title', last?.heading.text ?? '')
      foldTable(tokens, at)
    } else if (token.type === 'fence') {
      token.attrSet('id', `code-${++codes}`)
      if (token.info === 'json call' && tokens[at + 1]?.info === 'json answer') {
        token.attrSet('side', 'call')
        tokens[at + 1]!.attrSet('side', 'answer')
      }
      if (last) last.code += `${token.content} `
    } else if (token.type === 'inline' && last) last.text += indexText(tokens, at)
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections }
}

/**
 * Returns the text of an inline Markdown token for the search index. Headings are indexed separately; each table row becomes a sentence.
 */
function indexText(tokens: readonly Token[], at: number): string {
  const { type } = tokens[at - 1]!
  if (type === 'heading_open' || type === 'th_open') return ''
  const words = plainText(tokens[at]!)
  if (type !== 'td_open' || words === '') return words && `${words} `
  return tokens[at + 2]?.type === 'tr_close' ? `${words}${words.endsWith('.') ? ' ' : '; '}` : `${words} · `
}

/** If the cells of a table have more characters than this on average, they are laid out as sentences. */
const SENTENCE_LENGTH = 30

/**
 * Lays out a table for phones: each row becomes a card whose first cell is the title. Sentences stand below the heading of their column;
 * short values run in one line, each after its heading. A last column with most of the text is wider than the others.
 */
function foldTable(tokens: readonly Token[], at: number): void {
  const end = tokens.findIndex(({ type }, i) => i > at && type === 'table_close')
  const inside = tokens.slice(at, end)
  const wordsAfter = (type: string) => inside.flatMap((token, i) => (token.type === type ? [{ token, words: plainText(inside[i + 1]!) }] : []))
  const labels = wordsAfter('th_open').map(({ words }) => words)
  const cells = wordsAfter('td_open')
  const lengths = labels.map((_, column) => cells.reduce((sum, { words }, i) => sum + (i % labels.length === column ? words.length : 0), 0))
  const short = lengths.slice(1).every((length) => length * labels.length < SENTENCE_LENGTH * cells.length)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const classes = ['table folds', ...(labels.length > 2 && short ? ['runs'] : []), ...(lengths.at(-1)! * 2 > total ? ['long-end'] : [])]
  tokens[at]!.attrSet('class', classes.join(' '))
  // On phones each table row is shown as a card, whose cells have the column heading as a label. Tables of two columns need no labels.
  if (labels.length > 2)
    for (const [i, { token }] of cells.entries()) if (i % labels.length > 0) token.attrSet('data-label', labels[i % labels.length]!)
}

/** Returns the text of a Markdown token without markup. Line breaks in the source count as spaces. */
const plainText = ({ children, content }: Token) =>
  children ? children.map((part) => (part.type === 'softbreak' || part.type === 'hardbreak' ? ' ' : part.content)).join('') : content

/** Creates the same anchors as GitHub, so that a link to a heading works on GitHub and on this site. */
function uniqueAnchor(text: string, sections: readonly DocSection[]): string {
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
