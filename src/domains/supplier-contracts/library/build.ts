import { invalidArguments } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import type { SourcingSettings } from '../../tenancy/sourcing-settings.ts'
import { listVarNames } from '../clause-text.ts'
import type { AwardedOffer } from '../sources.ts'
import type { Clause, ClauseVariables } from '../tables.ts'
import { CLAUSE_LIBRARY, type LibraryClause } from './clauses.ts'
import { type ClauseContent, deriveClauseContents, type SupplierJurisdiction } from './variables.ts'

/** The variable values that a caller provides, by clause key. */
export type VariablesByClause = Record<string, ClauseVariables>

/** Builds the clauses of a new contract: the texts of the library or the client, filled from the offer and the caller's values. */
export function buildClauses(
  source: AwardedOffer,
  place: SupplierJurisdiction,
  { clauses: own = {} }: Pick<SourcingSettings, 'clauses'>,
  given: VariablesByClause = {},
): Clause[] {
  const contents = deriveClauseContents(source, place)
  const library = new Set(CLAUSE_LIBRARY.map(({ key }) => key))
  const texts: LibraryClause[] = [
    ...CLAUSE_LIBRARY.map((clause) => (Object.hasOwn(own, clause.key) ? { key: clause.key, ...own[clause.key]! } : clause)),
    ...Object.entries(own)
      .filter(([key]) => !library.has(key))
      .map(([key, text]) => ({ key, ...text })),
  ]
  refuseUnknownKeys(
    texts.map(({ key }) => key),
    given,
  )
  return texts.map((text) => writeClause(text, contents[text.key] ?? { vars: {} }, given[text.key] ?? {}))
}

function refuseUnknownKeys(keys: readonly string[], given: VariablesByClause): void {
  const unknown = Object.keys(given).filter((key) => !keys.includes(key))
  if (unknown.length > 0) throw invalidArguments(unknown.map((key) => createUnknownNameFieldError(`vars.${key}`, key, keys, 'clause')))
}

function writeClause(
  { key, title, body, without }: LibraryClause,
  { vars, lines = {}, isAbsent }: ClauseContent,
  given: ClauseVariables,
): Clause {
  // A value from the caller adds a term to the contract even if the supplier's offer does not have that term.
  const isLeftOut = isAbsent === true && without !== undefined && !listVarNames(body).some((name) => Object.hasOwn(given, name))
  const written = (isLeftOut ? without : body).replaceAll(/\{\{\s*([A-Za-z]+)\s*\}\}/g, (placeholder, name: string) => {
    const list = lines[name as keyof typeof lines]
    return list === undefined ? placeholder : list.join('\n')
  })
  const all: ClauseVariables = { ...vars, ...given }
  refuseUnusedVars(key, written, given)
  return { key, title, body: written, vars: Object.fromEntries(listVarNames(written).map((name) => [name, all[name] ?? null])) }
}

/** Throws if the caller provides a value for a variable that the clause does not contain. */
export function refuseUnusedVars(key: string, body: string, given: ClauseVariables): void {
  const used = listVarNames(body)
  const unused = Object.keys(given).filter((name) => !used.includes(name))
  if (unused.length > 0)
    throw invalidArguments(
      unused.map((name) => createUnknownNameFieldError(`vars.${key}.${name}`, name, used, `variable in the text of ${key}`)),
    )
}
