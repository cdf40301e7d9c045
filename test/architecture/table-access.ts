import type { Source } from './sources.ts'
import { listTemplates, stripComments } from './templates.ts'

export interface TableAccess {
  path: string
  /** The domain (folder of `src/domains`) that contains the file; null for files elsewhere. */
  domain: string | null
  table: string
  writes: boolean
}

type Access = Pick<TableAccess, 'table' | 'writes'>

const BUILDER =
  /\.(selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|crossJoin|using|insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"`](\w+)(?: as \w+)?['"`]/g
const WRITING_CALLS = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto'])
const STATEMENT =
  /\b(insert\s+into|merge\s+into|delete\s+from|truncate(?:\s+table)?|update|from|join|using)\s+(?:only\s+)?([a-z_]+)\b(?:\s+(?:as\s+)?(?!set\b)[a-z]\w*)?(\s+set\b)?/gi

/**
 * Calls that write a table given by name: `defineRecord` declares the table that `editRecord` writes, `deleteTestRows` takes the table as
 * an argument.
 */
const WRITTEN_BY_NAME = [/\bdefineRecord\(\{\s*table:\s*'(\w+)'/g, /\bdeleteTestRows\(\s*[\w.]+,\s*'(\w+)'/g]

/** Fields of the data dictionary that are looked up in another table, given with its alias. */
const READ_BY_NAME = /\bbuildLookupSql\(\s*['"`][^'"`]*['"`],\s*['"`](\w+)/g

const STATES_DECLARATION = /\bconst (\w+) = defineStateMachine(?:<[^(]*>)?\(\{\s*column: '(\w+)\.\w+'/g
/** Calls that write the table whose states are their second argument. */
const MOVE = /\b(?:changeRecordState|changeStateOfRows)(?:<[^(]*>)?\(\s*\w+(?:\([^()]*\))?,\s*(\w+)/g

/** Finds every access to one of the given tables in Kysely calls and in SQL text. */
export function findTableAccesses(sources: readonly Source[], tables: ReadonlySet<string>): TableAccess[] {
  const tableOfStates = new Map(
    sources.flatMap(({ text }) => [...text.matchAll(STATES_DECLARATION)].map(([, name, table]) => [name!, table!] as const)),
  )
  return sources.flatMap(({ path, text }) => {
    const domain = path.match(/^src\/domains\/([^/.]+)\//)?.[1] ?? null
    const code = stripComments(text)
    const accesses: Access[] = [
      ...[...code.matchAll(BUILDER)].map(([, call, table]) => ({ table: table!, writes: WRITING_CALLS.has(call!) })),
      ...WRITTEN_BY_NAME.flatMap((pattern) => [...code.matchAll(pattern)].map(([, table]) => ({ table: table!, writes: true }))),
      ...[...code.matchAll(READ_BY_NAME)].map(([, table]) => ({ table: table!, writes: false })),
      ...[...code.matchAll(MOVE)].flatMap(([, states]) => toList(tableOfStates.get(states!)).map((table) => ({ table, writes: true }))),
      ...listTemplates(code).flatMap(({ literal }) => readStatements(literal)),
      ...(domain === null ? [] : findComputedAccesses(code)),
    ]
    const unique = new Map(accesses.filter(({ table }) => tables.has(table)).map((access) => [`${access.table} ${access.writes}`, access]))
    return [...unique.values()].map((access) => ({ path, domain, ...access }))
  })
}

const toList = (table: string | undefined) => (table === undefined ? [] : [table])

const readStatements = (sql: string): Access[] =>
  [...sql.matchAll(STATEMENT)].flatMap(([, verb, table, set]) => {
    const word = verb!.toLowerCase()
    if (word === 'update' && !set) return []
    return [{ table: table!.toLowerCase(), writes: /^(insert|merge|delete|truncate|update)/.test(word) }]
  })

/**
 * With `sql.table(name)` the name is computed, so every table that the file quotes counts as accessed. Names from another file are not
 * found: `audit/kinds.ts` lists the tables whose record names the audit log reads, and `src/demo.ts` deletes the whole demo tenant.
 */
function findComputedAccesses(code: string): Access[] {
  if (!code.includes('sql.table(')) return []
  const writes = /\b(?:insert\s+into|delete\s+from|update)\s+\$\{sql\.table\(/i.test(code)
  return [...code.matchAll(/'([a-z_]+)'/g)].map(([, table]) => ({ table: table!, writes }))
}

type ListByName = Readonly<Record<string, readonly string[]>>

export interface TableRules {
  owners: ListByName
  uses: ListByName
  /** Tables that a domain may read although it does not import the domain that owns them. */
  reads: ListByName
  /** Tables of other domains that a source file may write. */
  sharedWrites: ListByName
  /** Folders outside the kernel that may write a kernel table. */
  kernelWriters: ListByName
}

/** Finds writes outside the domain that owns the table, and reads of tables whose owner the domain may not use. */
export function findForeignAccesses(accesses: readonly TableAccess[], rules: TableRules): string[] {
  const ownerOf = new Map(Object.entries(rules.owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)))
  return accesses.flatMap(({ path, domain, table, writes }) => {
    const owner = ownerOf.get(table) ?? 'no domain'
    const isAllowed = writes ? mayWrite(path, domain, table, owner, rules) : mayRead(domain, table, owner, rules)
    return isAllowed ? [] : [`${path} ${writes ? 'writes' : 'reads'} ${table}, which belongs to ${owner}`]
  })
}

function mayWrite(path: string, domain: string | null, table: string, owner: string, { sharedWrites, kernelWriters }: TableRules): boolean {
  if (owner === 'kernel') return path.startsWith('src/kernel/') || (kernelWriters[table] ?? []).some((folder) => path.startsWith(folder))
  return domain === owner || (sharedWrites[path] ?? []).includes(table)
}

/** Every layer may read kernel tables, and the layers above the domains may read all tables. */
const mayRead = (domain: string | null, table: string, owner: string, { uses, reads }: TableRules): boolean =>
  domain === null || owner === domain || owner === 'kernel' || (uses[domain] ?? []).includes(owner) || (reads[domain] ?? []).includes(table)
