import type { Pool } from '../../src/kernel/ports.ts'
import { listFilledTables } from './filled-tables.ts'

/** Every kind of token that the product issues: a prefix and 32 random bytes. */
const TOKEN_PATTERN =
  '(?:lat|lrt|lak|los|lac|lar|lcs|lpw|lps|lgi|lsk|lsl|lpb|lld|br|door|hotel|report|sign|supplier|survey)_[A-Za-z0-9_-]{43}'
/**
 * Text that may precede a token: the start of the text, a character that base64url does not use, an escape in JSON, or an encoded character
 * in a URL. Without it, the random text of an encrypted value could match by chance.
 */
const BEFORE_TOKEN = String.raw`(?:^|[^A-Za-z0-9_-]|\\[nrt]|%[0-9A-Fa-f]{2})`
const TOKEN = new RegExp(`(?<=${BEFORE_TOKEN})${TOKEN_PATTERN}`)

/** Lines that contain a token, with the token redacted. */
export const findTokenLines = (lines: readonly string[]): string[] =>
  lines.filter((line) => TOKEN.test(line)).map((line) => line.replace(TOKEN, '[token]').slice(0, 200))

/** Emails contain links for their recipients; no other table may contain tokens. */
const TABLES_WITH_ALLOWED_TOKENS = new Set(['public.messages'])

/** Tables with a row that contains a token in plain text. Only hashes and encrypted values may be stored. */
export async function findTablesWithTokens(pool: Pool, filled?: readonly string[]): Promise<string[]> {
  const searched = (filled ?? (await listFilledTables(pool))).filter(
    (name) => name.startsWith('public.') && !TABLES_WITH_ALLOWED_TOKENS.has(name),
  )
  if (searched.length === 0) return []
  // One statement for all tables, because it runs at the end of every test.
  const parts = searched.map((name) => {
    const table = name.slice('public.'.length)
    return `select '${table}' as name where exists (select from "${table}" t where t::text ~ '${BEFORE_TOKEN}${TOKEN_PATTERN}')`
  })
  const found = await pool.query<{ name: string }>(parts.join(' union all '))
  return found.rows.map(({ name }) => name)
}
