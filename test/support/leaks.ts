import type { Pool } from '../../src/kernel/ports.ts'
import { filledTables } from './filled-tables.ts'

/** Every kind of token the product makes: a prefix and 32 random bytes. */
const TOKEN = /\b(?:lat|lrt|lak|los|lac|lar|lpw|lps|lgi|lsl|lpb|lld)_[A-Za-z0-9_-]{43}\b/

/** Lines that hold a token, with the token cut out. */
export const tokensIn = (lines: readonly string[]): string[] =>
  lines.filter((line) => TOKEN.test(line)).map((line) => line.replace(TOKEN, '[token]').slice(0, 200))

/** Mails hold links for their readers; nothing else may. */
const MAY_HOLD = new Set(['public.messages'])

/** Tables of which some row holds a token as it was given out. Only hashes and sealed values belong there. */
export async function tablesWithTokens(pool: Pool, filled?: readonly string[]): Promise<string[]> {
  const searched = (filled ?? (await filledTables(pool))).filter((name) => name.startsWith('public.') && !MAY_HOLD.has(name))
  if (searched.length === 0) return []
  // In one statement: every test ends with it.
  const parts = searched.map((name) => {
    const table = name.slice('public.'.length)
    return `select '${table}' as name where exists (select from "${table}" t where t::text ~ '(lat|lrt|lak|los|lac|lar|lpw|lps|lgi|lsl|lpb|lld)_[A-Za-z0-9_-]{43}')`
  })
  const found = await pool.query<{ name: string }>(parts.join(' union all '))
  return found.rows.map(({ name }) => name)
}
