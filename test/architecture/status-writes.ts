import type { Source } from './sources.ts'
import { listTemplates, stripComments } from './templates.ts'

const UPDATE_CALL = /\.updateTable\(\s*['"`](\w+)(?: as \w+)?['"`]/g
const INSERT_CALL = /\.insertInto\(\s*['"`](\w+)(?: as \w+)?['"`]/g
const UPDATE_STATEMENT =
  /\bupdate\s+(?:only\s+)?([a-z_]+)\b(?:\s+(?:as\s+)?(?!set\b)[a-z]\w*)?\s+set\b([^]*?)(?=\bwhere\b|\breturning\b|$)/gi
const INSERT_STATEMENT =
  /\binsert\s+into\s+([a-z_]+)\b(?:(?!\binsert\s+into\b)[^])*?\bdo\s+update\s+set\b([^]*?)(?=\breturning\b|\bwhere\b|$)/gi

export type StatusColumns = ReadonlyMap<string, readonly string[]>

export interface StatusWrite {
  path: string
  /** The status column as `table.column`. */
  column: string
  /** The SQL after `set`, or the argument of the call that sets the column. */
  set: string
}

/**
 * Finds updates of status columns that pass by the tables of states: Kysely calls and SQL that set such a column themselves. Updates by
 * `changeRecordState` and `changeStateOfRows` name no table, so they are not found, and record edits are checked by the states of the record.
 */
export const findStatusWrites = (sources: readonly Source[], columns: StatusColumns): StatusWrite[] =>
  sources.flatMap(({ path, text }) => {
    const code = stripComments(text)
    return [...findCalls(code, columns), ...findStatements(code, columns)].map((write) => ({ path, ...write }))
  })

type Found = Omit<StatusWrite, 'path'>

function findCalls(code: string, columns: StatusColumns): Found[] {
  const find = (call: RegExp, setter: string) =>
    [...code.matchAll(call)].flatMap((match) =>
      readCalls(code.slice(match.index), setter).flatMap((set) =>
        (columns.get(match[1]!) ?? [])
          .filter((column) => setsColumn(code, set, column))
          .map((column) => ({ column: `${match[1]}.${column}`, set })),
      ),
    )
  return [...find(UPDATE_CALL, 'set'), ...find(INSERT_CALL, 'doUpdateSet')]
}

const findStatements = (code: string, columns: StatusColumns): Found[] =>
  listTemplates(code).flatMap(({ literal }) =>
    [UPDATE_STATEMENT, INSERT_STATEMENT].flatMap((statement) =>
      [...literal.matchAll(statement)].flatMap(([, table, set]) =>
        (columns.get(table!.toLowerCase()) ?? [])
          .filter((column) => new RegExp(`(?:^|,)\\s*${column}\\s*=`).test(set!))
          .map((column) => ({ column: `${table!.toLowerCase()}.${column}`, set: set! })),
      ),
    ),
  )

/** The arguments of the calls of a method in the statement that a query builder chain starts. */
function readCalls(code: string, method: string): string[] {
  const chain = readBalanced(code, (depth, at) => depth === 0 && /^(?:;|\n\s*(?![.)\s])|,)/.test(code.slice(at, at + 200)))
  return [...chain.matchAll(new RegExp(`\\.${method}\\(`, 'g'))].map(({ 0: call, index }) => {
    const rest = chain.slice(index + call.length)
    return readBalanced(rest, (depth, at) => depth === 0 && rest[at] === ')')
  })
}

function readBalanced(text: string, ends: (depth: number, at: number) => boolean): string {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (ends(depth, at)) return text.slice(0, at)
    if ('([{'.includes(text[at]!)) depth++
    else if (')]}'.includes(text[at]!) && --depth < 0) return text.slice(0, at)
  }
  return text
}

/** Whether the argument of `set` sets a column: as a key, or with a value or spread whose declaration in the file has the column. */
function setsColumn(code: string, set: string, column: string): boolean {
  if (new RegExp(`(?:^|[{,(?]\\s*)${column}\\s*(?:[:,}]|$)`).test(set.trim())) return true
  const names = [...set.matchAll(/\.\.\.(\w+)\b(?!\()|^\s*(\w+)\s*(?:as \w+)?\s*$/g)].map(([, spread, whole]) => spread ?? whole!)
  return names.some((name) => mayHaveColumn(code, name, column))
}

/** An object of unknown columns may have the status column; one whose type omits it, or an object literal without it, has not. */
function mayHaveColumn(code: string, name: string, column: string): boolean {
  const declared = new RegExp(`\\bconst ${name}(?:: ([^=]*))? = |\\b${name}\\??: ([^\\n]*)`).exec(code)
  if (!declared) return true
  const type = (declared[1] ?? declared[2] ?? '').replace(/,\s*$/, '')
  if (type) return typeMayHaveColumn(code, type, column)
  const value = code.slice(declared.index + declared[0].length)
  const literal = readBalanced(value, (depth, at) => depth === 0 && /^\n(?!\s*[.?:])/.test(value.slice(at, at + 80)))
  return new RegExp(`\\b${column}\\b\\s*[:,}]`).test(literal) || /^\s*(?!\{|Object\.fromEntries)/.test(literal)
}

function typeMayHaveColumn(code: string, type: string, column: string): boolean {
  if (new RegExp(`Omit<[^]*'${column}'`).test(type)) return false
  if (/Updateable<|UpdateObject<|Record<|\bnever\b|\bunknown\b/.test(type)) return !/\bPick<[^]*>/.test(type)
  if (new RegExp(`'${column}'|\\b${column}\\??:`).test(type)) return true
  const alias = /^(\w+)/.exec(type.trim())?.[1]
  const declaration = alias && new RegExp(`\\btype ${alias} =\\s*([^\\n]*)`).exec(code)?.[1]
  return declaration ? typeMayHaveColumn(code, declaration, column) : false
}
