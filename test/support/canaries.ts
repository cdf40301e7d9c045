import { QUERY_ENTITIES } from '../../src/domains/figures/dictionary/index.ts'
import { HIDDEN_COLUMNS, HIDDEN_TABLES } from '../../src/domains/figures/dictionary/tests/hidden-columns.ts'
import type { Pool } from '../../src/kernel/ports.ts'

/** Kinds of planted words (canaries). The kind decides which roles may see the word. */
export const CANARY_KINDS = { identity: 'i', personal: 'p', secret: 's', foreign: 'f' } as const
export type CanaryKind = keyof typeof CANARY_KINDS

const WORD = /zq([ipsf])\d{3}k/g
const KIND_BY_LETTER = new Map(Object.entries(CANARY_KINDS).map(([kind, letter]) => [letter as string, kind as CanaryKind]))

/** Returns the planted words that a text contains, grouped by kind. */
export function findCanaries(text: string): Map<CanaryKind, Set<string>> {
  const found = new Map<CanaryKind, Set<string>>()
  for (const [word, letter] of text.matchAll(WORD)) {
    const kind = KIND_BY_LETTER.get(letter!)!
    found.set(kind, (found.get(kind) ?? new Set()).add(word))
  }
  return found
}

interface Place {
  table: string
  column: string
  kind: CanaryKind
}

/** Tables in which no words are planted, because every tool call needs their values to be authorized or audited. */
const KEPT_TABLES = new Set([
  'audit_entries',
  'confirmations',
  'oauth_clients',
  'oauth_codes',
  'oauth_grants',
  'oauth_requests',
  'oauth_tokens',
  'users',
])

/** Lists the columns of the data dictionary that need a separate permission, and hidden columns. */
function listPlaces(): Place[] {
  const places = new Map<string, Place>()
  const add = (table: string, column: string, kind: CanaryKind) => {
    if (!KEPT_TABLES.has(table) && !places.has(`${table}.${column}`)) places.set(`${table}.${column}`, { table, column, kind })
  }
  for (const { source, fields } of QUERY_ENTITIES.values())
    for (const { class: of = 'open', sql } of Object.values(fields)) {
      const column = /^r\.([a-z_0-9]+)$/.exec(sql('r'))?.[1]
      if (of !== 'open' && column && !source.startsWith('(')) add(source, column, of === 'identity' ? 'identity' : 'personal')
    }
  for (const [table, { secret = [] }] of Object.entries(HIDDEN_COLUMNS)) for (const column of secret) add(table, column, 'secret')
  return [...places.values()]
}

async function listTextColumns(pool: Pool): Promise<Map<string, Set<string>>> {
  const { rows } = await pool.query<{ table: string; columns: string[] }>(
    `select table_name as table, array_agg(column_name::text) as columns from information_schema.columns
     where table_schema = 'public' and data_type = 'text' and is_generated = 'NEVER' group by 1`,
  )
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]))
}

/** The number of rows that get a planted word. Roles without access to personal data are shown only groups of more rows than that. */
const MAX_ROWS = 4

/**
 * Replaces texts of one event by words that occur nowhere else, one word for each column; rows of other events get words that no reader
 * of this event may see. Columns whose constraints refuse a word are skipped. Returns the columns with a word, by kind.
 */
export async function plantCanaries(pool: Pool, eventId: string): Promise<Map<CanaryKind, string[]>> {
  const texts = await listTextColumns(pool)
  const secretTables: Place[] = HIDDEN_TABLES.secret.flatMap((table) =>
    KEPT_TABLES.has(table) ? [] : [...(texts.get(table) ?? [])].map((column) => ({ table, column, kind: 'secret' as const })),
  )
  const planted = new Map<CanaryKind, string[]>()
  let words = 0
  const newWord = (kind: CanaryKind) => `zq${CANARY_KINDS[kind]}${String(words++).padStart(3, '0')}k`
  const plant = async ({ table, column }: Omit<Place, 'kind'>, kind: CanaryKind, where: string) => {
    const word = newWord(kind)
    if ((await tryToPlant(pool, table, column, word, where)) > 0) planted.set(kind, [...(planted.get(kind) ?? []), `${table}.${column}`])
  }
  for (const { table, column, kind } of [...listPlaces(), ...secretTables]) {
    if (!texts.get(table)?.has(column)) continue
    const ofEvent = texts.get(table)!.has('event_id')
    await plant({ table, column }, kind, ofEvent ? `event_id = '${eventId}'` : 'true')
    if (ofEvent && kind !== 'secret') await plant({ table, column }, 'foreign', `event_id <> '${eventId}'`)
  }
  return planted
}

/**
 * The rows that get words first. The words of participants go to the same people, who are in most reports: with `ctid`, which changes with
 * every update, each word would be in rows of its own.
 */
const FIRST_ROWS: Readonly<Record<string, string>> = { participants: `status <> 'complete', dietary is null, id` }

/** Plants the word in some rows, or in one row if the column holds unique values or addresses. Returns the number of rows. */
async function tryToPlant(pool: Pool, table: string, column: string, word: string, where: string): Promise<number> {
  const first = (count: number) =>
    `ctid in (select ctid from ${table} where ${where} order by ${column} is null, ${FIRST_ROWS[table] ?? 'ctid'} limit ${count})`
  for (const [value, rows] of [
    [word, first(MAX_ROWS)],
    [`${word}@example.org`, first(1)],
    [word, first(1)],
  ] as const) {
    try {
      const { rows: changed } = await pool.query(`update ${table} set ${column} = $1 where ${rows} returning 1`, [value])
      if (changed.length > 0) return changed.length
    } catch {
      // The column is skipped, because one of its constraints refuses the planted word.
    }
  }
  return 0
}
