import MarkdownIt from 'markdown-it'
import { cleanHtml } from '../../configuration/rich-text.ts'
import { addressOf, hrefOf } from './addresses.ts'
import { unescapeHtml } from './escape.ts'
import { type Fields, withFields } from './merge-fields.ts'
import { fill, type Piece } from './recipient.ts'
import type { Styles } from './styles.ts'

export interface Written {
  html: Piece[]
  text: Piece[]
}

// HTML in the source stays text. Addresses keep their braces, because the fields in them are filled in later.
const markdown = new MarkdownIt({ html: false, linkify: false })
const normalized = markdown.normalizeLink.bind(markdown)
markdown.normalizeLink = (url) => (url.includes('{{') ? url : normalized(url))

export const markdownToHtml = (source: string) => markdown.render(source)

type Mark = { text: string } | { open: string; attributes: ReadonlyMap<string, string> } | { close: string }

const MARK = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*\/?>|[^<]+|</g

/** What the sanitiser wrote, as tags and texts. */
function marksOf(html: string): Mark[] {
  return [...html.matchAll(MARK)].map(([whole, slash, tag, attributes = '']) => {
    if (tag === undefined) return { text: unescapeHtml(whole) }
    if (slash) return { close: tag }
    return {
      open: tag,
      attributes: new Map([...attributes.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescapeHtml(value!)])),
    }
  })
}

/** What people wrote as rich text, for both parts of a mail. It is cleaned here too, whatever it went through before. */
export function richText(html: string, fields: Fields, styles: Styles): Written {
  const marks = marksOf(cleanHtml(html).html)
  return { html: toHtml(marks, fields, styles), text: toText(marks, fields) }
}

function toHtml(marks: readonly Mark[], fields: Fields, styles: Styles): Piece[] {
  return marks.flatMap((mark): Piece[] => {
    if ('text' in mark) return withFields(mark.text, 'html', fields)
    if ('close' in mark) return [`</${mark.close}>`]
    const { open, attributes } = mark
    const address = open === 'a' ? addressOf(attributes.get('href') ?? '', fields) : null
    const others = [...attributes].filter(([name]) => name !== 'href')
    return [
      `<${open}${styles.of(open)}`,
      ...(address ? [hrefOf(address)] : []),
      ...others.flatMap(([name, value]): Piece[] => [` ${name}="`, ...withFields(value, 'attribute', fields), '"']),
      '>',
    ]
  })
}

const BLOCKS = new Set(['p', 'h2', 'h3', 'h4', 'blockquote', 'table'])

/** For reading without marks: lists with dashes and numbers, cells side by side, a link followed by its address. */
function toText(marks: readonly Mark[], fields: Fields): Piece[] {
  const lists: { next: number | null }[] = []
  const links: (Piece[] | null)[] = []
  let words: Piece[] = []
  const open = (tag: string, attributes: ReadonlyMap<string, string>): Piece[] => {
    if (tag === 'ul' || tag === 'ol') return lists.push({ next: tag === 'ol' ? 1 : null }) > 1 ? [] : ['\n']
    if (tag === 'li') {
      const list = lists.at(-1)
      return [`\n${'  '.repeat(Math.max(0, lists.length - 1))}${list?.next ? `${list.next++}.` : '-'} `]
    }
    if (tag === 'a') {
      links.push(addressOf(attributes.get('href') ?? '', fields))
      words = []
    }
    if (tag === 'br') return ['\n']
    if (tag === 'hr') return ['\n\n---\n\n']
    return BLOCKS.has(tag) && lists.length === 0 ? ['\n\n'] : []
  }
  const close = (tag: string): Piece[] => {
    if (tag === 'ul' || tag === 'ol') return (lists.pop(), lists.length === 0 ? ['\n\n'] : [])
    if (tag === 'td' || tag === 'th') return [' | ']
    if (tag === 'tr') return ['\n']
    if (tag === 'a') return addressAfter([...words], links.pop() ?? null)
    return BLOCKS.has(tag) && lists.length === 0 ? ['\n\n'] : []
  }
  return marks.flatMap((mark): Piece[] => {
    if ('open' in mark) return open(mark.open, mark.attributes)
    if ('close' in mark) return close(mark.close)
    const said = withFields(mark.text.replace(/\s+/g, ' '), 'text', fields)
    words.push(...said)
    return said
  })
}

/** Nothing where the words are the address themselves, or lead nowhere. */
const addressAfter = (words: readonly Piece[], address: readonly Piece[] | null): Piece[] =>
  address === null
    ? []
    : [
        (to) => {
          const [said, url] = [fill(words, to).trim(), fill(address, to)]
          const shown = url.replace(/^(mailto|tel):/i, '')
          return url === '' || said === url || said === shown ? '' : said === '' ? shown : `: ${shown}`
        },
      ]
