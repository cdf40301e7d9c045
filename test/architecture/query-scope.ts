import { posix } from 'node:path'
import type { Source } from './sources.ts'
import { listTemplates, stripComments, type Template } from './templates.ts'

const START = /\.(?:selectFrom|updateTable|deleteFrom)\(\s*['"`](\w+)(?: as \w+)?['"`]/g
const SCOPED = /^(?:eventDb|tenantDb)\(/
const STATEMENT = /^\s*(?:select|with|insert|update|delete)\b/i
const TABLE = /\b(?:from|join|update|using)\s+(?:only\s+)?([a-z_]+)\b/gi

/** Matches a tenant condition: `tenant_id` is compared with a parameter or a column of an outer query, or is the first column of a key. */
const RESTRICTION = /\btenant_id\b['"]?\s*(?:=|,\s*'=')|=\s*\w+\.tenant_id\b|\(\s*(?:\w+\.)?tenant_id\s*[,)]|\btenant_id\s*:|tenants\.code'/

/** Finds queries on a table with a `tenant_id` that neither go through `eventDb` or `tenantDb` nor restrict the column themselves. */
export function findUnscopedQueries(sources: readonly Source[], tenantTables: ReadonlySet<string>): string[] {
  const files = new Map(sources.map(({ path, text }) => [path, stripComments(text)]))
  return [...files].flatMap(([path, code]) => {
    const restricts = (source: string) => restrictsTenant(files, { path, source })
    const tables = [...findUnscopedCalls(code, tenantTables, restricts), ...findUnscopedStatements(code, tenantTables, restricts)]
    return [...new Set(tables)].map((table) => `${path}: ${table}`)
  })
}

type Restricts = (source: string) => boolean

interface Excerpt {
  path: string
  source: string
}

const MAX_REFERENCES = 2

/** Whether source text restricts the tenant, directly or through an SQL fragment that it references by name. */
const restrictsTenant = (files: ReadonlyMap<string, string>, { path, source }: Excerpt, references = MAX_REFERENCES): boolean =>
  RESTRICTION.test(source) ||
  (references > 0 && findNames(source).some((name) => restrictsTenant(files, readDefinition(files, path, name), references - 1)))

/** The identifiers in a source, without properties and quoted text. */
const findNames = (source: string): string[] => [
  ...new Set([...source.replace(/'[^'\n]*'/g, '').matchAll(/(?<![.\w])[A-Za-z_]\w*(?!\w|\s*:)/g)].map(([name]) => name)),
]

function findUnscopedCalls(code: string, tenantTables: ReadonlySet<string>, restricts: Restricts): string[] {
  return [...code.matchAll(START)].flatMap((match) => {
    const table = match[1]!
    if (!tenantTables.has(table)) return []
    const root = readRoot(code, match.index)
    const isScoped = SCOPED.test(root) || (/^\w+$/.test(root) && new RegExp(`\\b${root}\\s*=\\s*(?:eventDb|tenantDb)\\(`).test(code))
    return isScoped || listConditions(readChain(code, match.index + match[0].length)).some(restricts) ? [] : [table]
  })
}

/** An inner template is a part of the statement around it, so only outer ones must restrict the tenant. */
function findUnscopedStatements(code: string, tenantTables: ReadonlySet<string>, restricts: Restricts): string[] {
  const templates = listTemplates(code)
  const outer = templates.filter((one) => !templates.some(({ start, end }) => start < one.start && one.end < end))
  return outer.flatMap((template) => {
    if (template.tag !== 'sql' && !STATEMENT.test(template.literal)) return []
    const own = templates.filter(({ start, end }) => template.start <= start && end <= template.end)
    const tables = own.flatMap(({ literal }) => [...literal.matchAll(TABLE)].map(([, table]) => table!.toLowerCase()))
    const table = tables.find((name) => tenantTables.has(name))
    if (table === undefined || RESTRICTION.test(template.literal) || template.interpolations.some(restricts)) return []
    return isFragmentWithCondition(code, template) ? [] : [table]
  })
}

/** Whether a template is only a part of another statement whose condition starts with a parameter. Its caller decides about the tenant. */
const isFragmentWithCondition = (code: string, { literal, tag, end }: Template): boolean =>
  tag === 'sql' && !/^\s*\.execute\(/.test(code.slice(end, end + 40)) && /\bwhere\s+\$\{\}/.test(literal)

/** Returns the source of a constant or function, from this file or from the file it is imported from. */
function readDefinition(files: ReadonlyMap<string, string>, path: string, name: string): Excerpt {
  const code = files.get(path) ?? ''
  const imported = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)'`, 'm').exec(code)?.[1]
  if (imported) return readDefinition(files, posix.join(posix.dirname(path), imported), name)
  const start = code.search(new RegExp(`\\b(?:const|let|function)\\s+${name}\\b`))
  return { path, source: start < 0 ? '' : readStatement(code, start) }
}

/** Returns the source from a position to the end of its line, or to the end of the last bracket or template that is open there. */
function readStatement(code: string, start: number): string {
  let depth = 0
  let inTemplate = false
  for (let at = start; at < code.length; at++) {
    const character = code[at]!
    if (character === '`') {
      inTemplate = !inTemplate
      depth += inTemplate ? 1 : -1
    } else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    else if (
      character === '\n' &&
      depth <= 0 &&
      !/(?:=|=>|[({,])$/.test(code.slice(start, at)) &&
      !/^\n\s*[.?:&|]/.test(code.slice(at, at + 60))
    )
      return code.slice(start, at)
  }
  return code.slice(start)
}

/** Returns the arguments of those calls in a query builder chain that restrict its rows. */
const listConditions = (chain: string): string[] =>
  [...chain.matchAll(/\.(?:where|whereRef)\(/g)].map(({ 0: call, index }) => readArguments(chain, index + call.length))

function readArguments(text: string, start: number): string {
  let depth = 1
  let at = start
  for (; at < text.length && depth > 0; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
  }
  return text.slice(start, at)
}

/** Returns the expression before a position, on which a method is called: an identifier with properties, or a call. */
function readRoot(code: string, end: number): string {
  let at = end
  while (at > 0 && /\s/.test(code[at - 1]!)) at--
  const stop = at
  if (code[at - 1] === ')') {
    let depth = 0
    do {
      at--
      if (code[at] === ')') depth++
      else if (code[at] === '(') depth--
    } while (at > 0 && depth > 0)
  }
  while (at > 0 && /[\w.]/.test(code[at - 1]!)) at--
  return code.slice(at, stop)
}

/** Returns the chained calls after a position, which is inside the parentheses of the first call. */
function readChain(text: string, start: number): string {
  let depth = 1
  for (let at = start; at < text.length; at++) {
    const character = text[at]!
    if (character === '(') depth++
    else if (character === ')' && --depth <= 0 && !/^\)\s*\??\.\w/.test(text.slice(at, at + 200))) return text.slice(start, at)
  }
  return text.slice(start)
}
