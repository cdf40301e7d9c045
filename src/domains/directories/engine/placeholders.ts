import { invalidArguments } from '../../../kernel/errors.ts'
import { cleanText } from '../../../kernel/clean-text.ts'

/**
 * A placeholder of a request template, such as `{{input.email | odata}}`. It stands for one value, which is never parsed again after it
 * is inserted.
 */
export interface Placeholder {
  of: string
  name: string
  filters: readonly string[]
}
export type TemplatePart = string | Placeholder

const OPEN = '{{'
const CLOSE = '}}'
const INSIDE = /^\s*([A-Za-z]+)\.([A-Za-z0-9_-]+)\s*((?:\|\s*[A-Za-z]+\s*)*)$/

export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let at = 0
  while (at < text.length) {
    const open = text.indexOf(OPEN, at)
    if (open === -1) break
    const close = text.indexOf(CLOSE, open)
    if (close === -1) throw wrong(`${quote(text.slice(open))} is not closed with }}`)
    const inside = text.slice(open + OPEN.length, close)
    const [whole, of = '', name = '', filters = ''] = INSIDE.exec(inside) ?? []
    if (whole === undefined) throw wrong(`{{${cleanText(inside, 60)}}} is not a placeholder; write it as {{input.email}}`)
    if (open > at) parts.push(text.slice(at, open))
    parts.push({
      of,
      name,
      filters: filters
        .split('|')
        .map((filter) => filter.trim())
        .filter((filter) => filter !== ''),
    })
    at = close + CLOSE.length
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}

export const pickPlaceholders = (parts: readonly TemplatePart[]): Placeholder[] => parts.filter((part) => typeof part !== 'string')

export const formatPlaceholder = ({ of, name }: Placeholder): string => `{{${of}.${name}}}`

const wrong = (message: string) => invalidArguments([{ path: '', message }])
const quote = (text: string) => JSON.stringify(cleanText(text, 60))
