import MarkdownIt from 'markdown-it'

interface DocHeading {
  level: number
  id: string
  text: string
}

/** The words under one heading, for searching. */
interface DocSection {
  heading: DocHeading
  /** Sentences and cells, without any markup. */
  text: string
  /** What its examples say, which is found but never shown as an excerpt. */
  code: string
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
  const block = `<div class="copy">${code}<button type="button" class="button small needs-script" data-copy="${id}">Copy</button></div>\n`
  const side = SIDES[tokens[at]!.attrGet('side') ?? '']
  return side ? `${side.before}<div><p class="muted">${side.name}</p>${block}</div>${side.after}` : block
}

/** A call and its answer stand side by side where there is room. */
const SIDES: Record<string, { name: string; before: string; after: string }> = {
  call: { name: 'Call', before: '<div class="exchange">', after: '' },
  answer: { name: 'Answer', before: '', after: '</div>\n' },
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
    } else if (token.type === 'inline' && last) last.text += said(tokens, at)
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections }
}

/** What a piece of text adds to its section. Headings are names, not text; of a table each row is a sentence. */
function said(tokens: readonly Token[], at: number): string {
  const { type } = tokens[at - 1]!
  if (type === 'heading_open' || type === 'th_open') return ''
  const words = wordsOf(tokens[at]!)
  if (type !== 'td_open' || words === '') return words && `${words} `
  return tokens[at + 2]?.type === 'tr_close' ? `${words}${words.endsWith('.') ? ' ' : '; '}` : `${words} · `
}

/** Longer than this on average, what stands in a column is sentences. */
const SENTENCES = 30

/**
 * On a phone each row of a table becomes a small card whose first cell is the title. Sentences stand under the heading of their column;
 * short words run on in one line, each after its heading.
 */
function foldTable(tokens: readonly Token[], at: number): void {
  const end = tokens.findIndex(({ type }, i) => i > at && type === 'table_close')
  const inside = tokens.slice(at, end)
  const wordsAfter = (type: string) => inside.flatMap((token, i) => (token.type === type ? [{ token, words: wordsOf(inside[i + 1]!) }] : []))
  const labels = wordsAfter('th_open').map(({ words }) => words)
  const cells = wordsAfter('td_open')
  const lengths = labels.map((_, column) => cells.reduce((sum, { words }, i) => sum + (i % labels.length === column ? words.length : 0), 0))
  const short = lengths.slice(1).every((length) => length * labels.length < SENTENCES * cells.length)
  tokens[at]!.attrSet('class', labels.length > 2 && short ? 'table folds runs' : 'table folds')
  // Where there is only one other, it speaks for itself.
  if (labels.length > 2)
    for (const [i, { token }] of cells.entries()) if (i % labels.length > 0) token.attrSet('data-label', labels[i % labels.length]!)
}

/** A line that ends in the source is a blank to the reader. */
const wordsOf = ({ children, content }: Token) =>
  children ? children.map((part) => (part.type === 'softbreak' || part.type === 'hardbreak' ? ' ' : part.content)).join('') : content

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
