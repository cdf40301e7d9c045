import type { FieldError } from './errors.ts'

/**
 * Reports text that PostgreSQL cannot store: U+0000 or half of a surrogate pair. Dropping such characters silently would change the text.
 */
export function findUnstorableText(value: unknown, message: string, path = ''): FieldError[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [{ path, message }]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, part]) =>
    isStorable(key) ? findUnstorableText(part, message, path ? `${path}/${key}` : key) : [{ path, message }],
  )
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
