import type { ByteRange } from '../../kernel/ports.ts'

/**
 * The part of a file that is asked for; null for all of it, `outside` for a part that there is not. Several parts at once are
 * answered with the whole, as RFC 9110 allows, because nothing that we serve is read that way.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'outside' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const [first, last] = [match[1]!, match[2]!]
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start > end ? 'outside' : { start, end }
}
