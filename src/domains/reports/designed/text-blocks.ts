import MarkdownIt from 'markdown-it'
import { escapeHtml } from '../../../kernel/escape-html.ts'

interface TextRun {
  text: string
  bold?: true
  href?: string
}

/** A block of a text widget, for pages and files. */
export interface TextBlock {
  kind: 'heading' | 'paragraph' | 'bullet' | 'number'
  /** The level of a heading (1 to 3) or the depth of a list item, from 1. */
  level: number
  runs: TextRun[]
}

// Only headings, bold text, lists and links are parsed. All other markup, including HTML, stays text.
const markdown = new MarkdownIt('zero', { html: false, linkify: false }).enable([
  'heading',
  'list',
  'emphasis',
  'link',
  'escape',
  'newline',
])
markdown.validateLink = (url) => /^https?:\/\//i.test(url.trim())

const TOKEN = /\{\{\s*([A-Za-z][\w.]*)\s*\}\}/g

/** Lists the placeholders of a text, such as `event.name` or `param.from`. */
export const listPlaceholders = (source: string): string[] => [...source.matchAll(TOKEN)].map(([, token]) => token!)

/** Parses a text and replaces its placeholders. The values are inserted after parsing, so that they are never parsed as markup. */
export function toTextBlocks(source: string, values: Readonly<Record<string, string>>): TextBlock[] {
  const fill = (text: string) => text.replace(TOKEN, (_, token: string) => values[token] ?? '')
  const blocks: TextBlock[] = []
  const lists: TextBlock['kind'][] = []
  let kind: Pick<TextBlock, 'kind' | 'level'> | null = null
  for (const token of markdown.parse(source, {})) {
    if (token.type === 'bullet_list_open') lists.push('bullet')
    else if (token.type === 'ordered_list_open') lists.push('number')
    else if (token.type.endsWith('_list_close')) lists.pop()
    else if (token.type === 'heading_open') kind = { kind: 'heading', level: Math.min(3, Number(token.tag.slice(1))) }
    else if (token.type === 'paragraph_open')
      kind = lists.length > 0 ? { kind: lists.at(-1)!, level: lists.length } : { kind: 'paragraph', level: 1 }
    else if (token.type === 'inline')
      blocks.push({ ...(kind ?? { kind: 'paragraph', level: 1 }), runs: toRuns(token.children ?? [], fill) })
  }
  return blocks
}

type InlineToken = NonNullable<ReturnType<typeof markdown.parse>[number]['children']>[number]

function toRuns(tokens: readonly InlineToken[], fill: (text: string) => string): TextRun[] {
  const runs: TextRun[] = []
  let bold = 0
  let href: string | null = null
  for (const token of tokens) {
    if (token.type === 'strong_open') bold++
    else if (token.type === 'strong_close') bold--
    else if (token.type === 'link_open') href = String(token.attrGet('href') ?? '')
    else if (token.type === 'link_close') href = null
    else {
      const text = token.type === 'softbreak' || token.type === 'hardbreak' ? '\n' : fill(token.content)
      if (text !== '') runs.push({ text, ...(bold > 0 ? { bold: true as const } : {}), ...(href === null ? {} : { href }) })
    }
  }
  return runs
}

/** Renders text blocks as HTML. Headings begin at h3, below the titles of the report and of its widgets. */
export function textBlocksToHtml(blocks: readonly TextBlock[]): string {
  const parts: string[] = []
  const open: string[] = []
  const closeTo = (depth: number) => {
    while (open.length > depth) parts.push(`</li></${open.pop()}>`)
  }
  for (const { kind, level, runs } of blocks) {
    const inner = runs.map(runToHtml).join('')
    if (kind === 'heading' || kind === 'paragraph') {
      closeTo(0)
      const tag = kind === 'heading' ? `h${level + 2}` : 'p'
      parts.push(`<${tag}>${inner}</${tag}>`)
      continue
    }
    const tag = kind === 'bullet' ? 'ul' : 'ol'
    closeTo(open[level - 1] === tag ? level : level - 1)
    if (open.length === level) parts.push('</li><li>')
    for (; open.length < level; open.push(tag)) parts.push(`<${tag}><li>`)
    parts.push(inner)
  }
  closeTo(0)
  return parts.join('')
}

const runToHtml = ({ text, bold, href }: TextRun): string => {
  const escaped = escapeHtml(text).replaceAll('\n', '<br>')
  const strong = bold ? `<strong>${escaped}</strong>` : escaped
  return href === undefined ? strong : `<a href="${escapeHtml(href)}" rel="noreferrer">${strong}</a>`
}

export const textBlocksToPlainText = (blocks: readonly TextBlock[]): string =>
  blocks
    .map(({ kind, level, runs }) => {
      const text = runs.map((run) => (run.href && run.href !== run.text ? `${run.text} (${run.href})` : run.text)).join('')
      return kind === 'bullet' || kind === 'number' ? `${'  '.repeat(level - 1)}- ${text}` : text
    })
    .join('\n')
