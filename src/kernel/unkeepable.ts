import type { FieldError } from './errors.ts'

/** Neither text nor JSON of the database can hold U+0000 or half of a surrogate pair, and to drop them silently would change what was said. */
export function unkeepable(value: unknown, message: string, path = ''): FieldError[] {
  if (typeof value === 'string') return isKeepable(value) ? [] : [{ path, message }]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, part]) =>
    isKeepable(key) ? unkeepable(part, message, path ? `${path}/${key}` : key) : [{ path, message }],
  )
}

const isKeepable = (text: string) => text.isWellFormed() && !text.includes('\0')
