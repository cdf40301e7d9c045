import { QUERY_ENTITIES } from '../index.ts'

const ALIASED = /\b(?:from|join)\s+(?!lateral\b)([a-z_]+)\s+(?!where\b|join\b|cross\b|left\b|on\b)([a-z_]+)\b/g
const COLUMN = /\b([a-z_]+)\.([a-z_0-9]+)\b/g

/** The columns that SQL text reads through the aliases of its tables, as `table.column`. */
function readColumns(sql: string, aliases: ReadonlyMap<string, string>): string[] {
  const known = new Map(aliases)
  for (const [, table, alias] of sql.matchAll(ALIASED)) known.set(alias!, table!)
  return [...sql.matchAll(COLUMN)].flatMap(([, alias, column]) => (known.has(alias!) ? [`${known.get(alias!)}.${column}`] : []))
}

const tableOf = (source: string) => (source.startsWith('(') ? null : source)

/** Every column that the fields, sources and relations of the dictionary read. */
export function listReadColumns(): Set<string> {
  const found = new Set<string>()
  for (const { source, fields, relations } of QUERY_ENTITIES.values()) {
    const own = tableOf(source)
    const aliases = new Map(own === null ? [] : [['r', own]])
    const texts = [source, ...Object.values(fields).flatMap(({ sql, currency }) => [sql('r'), currency?.('r') ?? ''])]
    for (const text of texts) for (const column of readColumns(text, aliases)) found.add(column)
    for (const { to, on } of Object.values(relations)) {
      const other = tableOf(QUERY_ENTITIES.get(to)!.source)
      const both = new Map([...aliases, ...(other === null ? [] : [['t', other] as const])])
      for (const column of readColumns(on('r', 't'), both)) found.add(column)
    }
  }
  return found
}
