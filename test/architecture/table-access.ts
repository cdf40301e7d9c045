import type { Source } from './sources.ts'

export interface TableAccess {
  path: string
  /** The folder of `src/domains` that the file is in; null for files elsewhere. */
  domain: string | null
  table: string
  writes: boolean
}

const BUILDER = /\.(selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|crossJoin|using|insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"`](\w+)(?: as \w+)?['"`]/g
const WRITING_CALLS = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto'])
const STATEMENT = /\b(insert\s+into|delete\s+from|update|from|join|using)\s+(?:only\s+)?([a-z_]+)\b(?:\s+(?:as\s+)?(?!set\b)[a-z]\w*)?(\s+set\b)?/gi

/** Every access to a table of `tables` in Kysely calls and in SQL text. */
export function findTableAccesses(sources: readonly Source[], tables: ReadonlySet<string>): TableAccess[] {
  return sources.flatMap(({ path, text }) => {
    const domain = path.match(/^src\/domains\/([^/.]+)\//)?.[1] ?? null
    const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
    const accesses = [
      ...[...code.matchAll(BUILDER)].map(([, call, table]) => ({ table: table!, writes: WRITING_CALLS.has(call!) })),
      ...listTemplates(code).flatMap((sql) =>
        [...sql.matchAll(STATEMENT)].flatMap(([, verb, table, set]) => {
          const word = verb!.toLowerCase()
          if (word === 'update' && !set) return []
          return [{ table: table!.toLowerCase(), writes: /^(insert|delete|update)/.test(word) }]
        }),
      ),
    ]
    const unique = new Map(accesses.filter(({ table }) => tables.has(table)).map((access) => [`${access.table} ${access.writes}`, access]))
    return [...unique.values()].map((access) => ({ path, domain, ...access }))
  })
}

const listTemplates = (code: string): string[] => [...code.matchAll(/`(?:[^`\\]|\\.)*`/g)].map(([template]) => template)

export interface TableRules {
  owners: Readonly<Record<string, readonly string[]>>
  uses: Readonly<Record<string, readonly string[]>>
  /** Tables that a domain may read although it does not import their owner. */
  reads: Readonly<Record<string, readonly string[]>>
}

/** Writes to another domain's table, and reads of tables whose owner the domain may not use. */
export function findForeignAccesses(accesses: readonly TableAccess[], { owners, uses, reads }: TableRules): string[] {
  const ownerOf = new Map(Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)))
  return accesses.flatMap(({ path, domain, table, writes }) => {
    const owner = ownerOf.get(table) ?? 'no domain'
    if (domain === null || owner === domain || owner === 'kernel') return []
    if (writes) return [`${path} writes ${table}, which belongs to ${owner}`]
    return uses[domain]?.includes(owner) || reads[domain]?.includes(table) ? [] : [`${path} reads ${table}, which belongs to ${owner}`]
  })
}
