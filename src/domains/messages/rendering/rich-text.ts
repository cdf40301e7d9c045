import MarkdownIt from 'markdown-it'
import { cleanHtml } from '../../configuration/rich-text.ts'
import { parseLinkUrl, renderHref } from './addresses.ts'
import { unescapeHtml } from './escape.ts'
import { type AllowedMergeFields, compileMergeFields } from './merge-fields.ts'
import { renderCompiledTemplate, type TemplatePiece } from './recipient.ts'
import type { EmailStyles } from './styles.ts'

export interface HtmlAndTextTemplate {
  html: TemplatePiece[]
  text: TemplatePiece[]
}

// HTML in Markdown is shown as text. Link addresses keep their braces, so that merge fields in them can be filled in later.
const markdown = new MarkdownIt({ html: false, linkify: false })
const normalized = markdown.normalizeLink.bind(markdown)
markdown.normalizeLink = (url) => (url.includes('{{') ? url : normalized(url))

export const markdownToHtml = (source: string) => markdown.render(source)

type HtmlToken = { text: string } | { open: string; attributes: ReadonlyMap<string, string> } | { close: string }

const HTML_TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*\/?>|[^<]+|</g

/** Splits sanitized HTML into tags and texts. */
function tokenizeHtml(html: string): HtmlToken[] {
  return [...html.matchAll(HTML_TOKEN)].map(([whole, slash, tag, attributes = '']) => {
    if (tag === undefined) return { text: unescapeHtml(whole) }
    if (slash) return { close: tag }
    return {
      open: tag,
      attributes: new Map([...attributes.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescapeHtml(value!)])),
    }
  })
}

/** Renders rich text as HTML and as plain text. It is always sanitized here, even if it was checked before. */
export function compileRichText(html: string, fields: AllowedMergeFields, styles: EmailStyles): HtmlAndTextTemplate {
  const marks = tokenizeHtml(cleanHtml(html).html)
  return { html: toHtml(marks, fields, styles), text: toText(marks, fields) }
}

function toHtml(marks: readonly HtmlToken[], fields: AllowedMergeFields, styles: EmailStyles): TemplatePiece[] {
  return marks.flatMap((mark): TemplatePiece[] => {
    if ('text' in mark) return compileMergeFields(mark.text, 'html', fields)
    if ('close' in mark) return [`</${mark.close}>`]
    const { open, attributes } = mark
    const address = open === 'a' ? parseLinkUrl(attributes.get('href') ?? '', fields) : null
    const others = [...attributes].filter(([name]) => name !== 'href')
    return [
      `<${open}${styles.of(open)}`,
      ...(address ? [renderHref(address)] : []),
      ...others.flatMap(([name, value]): TemplatePiece[] => [` ${name}="`, ...compileMergeFields(value, 'attribute', fields), '"']),
      '>',
    ]
  })
}

const BLOCKS = new Set(['p', 'h2', 'h3', 'h4', 'blockquote', 'table'])

/** Converts rich text to plain text: lists with dashes and numbers, cells separated by bars, links followed by their address. */
function toText(marks: readonly HtmlToken[], fields: AllowedMergeFields): TemplatePiece[] {
  const lists: { next: number | null }[] = []
  const links: (TemplatePiece[] | null)[] = []
  let words: TemplatePiece[] = []
  const open = (tag: string, attributes: ReadonlyMap<string, string>): TemplatePiece[] => {
    if (tag === 'ul' || tag === 'ol') return lists.push({ next: tag === 'ol' ? 1 : null }) > 1 ? [] : ['\n']
    if (tag === 'li') {
      const list = lists.at(-1)
      return [`\n${'  '.repeat(Math.max(0, lists.length - 1))}${list?.next ? `${list.next++}.` : '-'} `]
    }
    if (tag === 'a') {
      links.push(parseLinkUrl(attributes.get('href') ?? '', fields))
      words = []
    }
    if (tag === 'br') return ['\n']
    if (tag === 'hr') return ['\n\n---\n\n']
    return BLOCKS.has(tag) && lists.length === 0 ? ['\n\n'] : []
  }
  const close = (tag: string): TemplatePiece[] => {
    if (tag === 'ul' || tag === 'ol') return (lists.pop(), lists.length === 0 ? ['\n\n'] : [])
    if (tag === 'td' || tag === 'th') return [' | ']
    if (tag === 'tr') return ['\n']
    if (tag === 'a') return renderAddressAfter([...words], links.pop() ?? null)
    return BLOCKS.has(tag) && lists.length === 0 ? ['\n\n'] : []
  }
  return marks.flatMap((mark): TemplatePiece[] => {
    if ('open' in mark) return open(mark.open, mark.attributes)
    if ('close' in mark) return close(mark.close)
    const pieces = compileMergeFields(mark.text.replace(/\s+/g, ' '), 'text', fields)
    words.push(...pieces)
    return pieces
  })
}

/** Renders the link address after the link text; empty if there is no link or the link text is the address itself. */
const renderAddressAfter = (words: readonly TemplatePiece[], address: readonly TemplatePiece[] | null): TemplatePiece[] =>
  address === null
    ? []
    : [
        (to) => {
          const [linkText, url] = [renderCompiledTemplate(words, to).trim(), renderCompiledTemplate(address, to)]
          const shown = url.replace(/^(mailto|tel):/i, '')
          return url === '' || linkText === url || linkText === shown ? '' : linkText === '' ? shown : `: ${shown}`
        },
      ]
