import type { Source } from './sources.ts'

const START = /(\w+(?:\.\w+)*(?:\([^()]*\))?)\s*\.(selectFrom|updateTable|deleteFrom)\(\s*['"`](\w+)(?: as \w+)?['"`]/g
const SCOPED = /^(?:eventDb|tenantDb)\(/

/** Queries on a table with a `tenant_id` that neither go through `eventDb` or `tenantDb` nor name the column themselves. */
export function findUnscopedQueries(sources: readonly Source[], tenantTables: ReadonlySet<string>): string[] {
  return sources.flatMap(({ path, text }) => [
    ...[...text.matchAll(START)].flatMap((match) => {
      const [, root, , table] = match
      if (!tenantTables.has(table!) || SCOPED.test(root!)) return []
      return readChain(text, match.index + match[0].length).includes('tenant_id') ? [] : [`${path}: ${table}`]
    }),
    ...[...text.matchAll(/\bsql(?:<[^`]*>)?`((?:[^`\\]|\\.)*)`/g)].flatMap(([, statement]) => {
      const tables = [...statement!.matchAll(/\b(?:from|join|update|into)\s+([a-z_]+)/gi)].map(([, table]) => table!)
      const table = tables.find((name) => tenantTables.has(name))
      return table && !/tenant_id|\$\{/.test(statement!) ? [`${path}: ${table}`] : []
    }),
  ])
}

/** The calls chained after a position inside the parentheses of the first call. */
function readChain(text: string, start: number): string {
  let depth = 1
  for (let at = start; at < text.length; at++) {
    const character = text[at]!
    if (character === '(') depth++
    else if (character === ')') depth--
    if (depth === 0 && !/^\)\s*\??\.\w/.test(text.slice(at, at + 200))) return text.slice(start, at)
  }
  return text.slice(start)
}
