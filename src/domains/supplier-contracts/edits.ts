import { invalidArguments } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { addDays, daysBetween, isCalendarDay } from '../../kernel/time.ts'
import { refuseUnusedVars } from './library/build.ts'
import { parseEditedClause } from './reconcile.ts'
import { listVarNames } from './clause-text.ts'
import type { Clause, ClauseVariables } from './tables.ts'

/** A change of one clause. A body without `{{names}}` is compared with the clause's filled-in text to find the values of its variables. */
export interface ClauseEdit {
  key: string
  title?: string | undefined
  body?: string | undefined
  vars?: ClauseVariables | undefined
  remove?: boolean | undefined
}

const MAX_CLAUSES = 100

/** Applies edits to the clauses of a version. Clauses without an edit do not change. */
export function applyClauseEdits(clauses: readonly Clause[], edits: readonly ClauseEdit[]): Clause[] {
  refuseRepeatedKeys(edits)
  const byKey = new Map(edits.map((edit) => [edit.key, edit]))
  const kept = clauses.flatMap((clause) => {
    const edit = byKey.get(clause.key)
    return edit ? (edit.remove ? [] : [editClause(clause, edit)]) : [clause]
  })
  const added = edits.filter(({ key }) => !clauses.some((one) => one.key === key)).map((edit) => newClause(clauses, edit))
  const result = linkVars(clauses, [...kept, ...added], byKey)
  if (result.length === 0 || result.length > MAX_CLAUSES)
    throw invalidArguments([{ path: 'clauses', message: `a contract has 1 to ${MAX_CLAUSES} clauses, not ${result.length}` }])
  return result
}

function refuseRepeatedKeys(edits: readonly ClauseEdit[]): void {
  const keys = edits.map(({ key }) => key)
  const repeated = keys.filter((key, index) => keys.indexOf(key) !== index)
  if (repeated.length > 0) throw invalidArguments(repeated.map((key) => ({ path: 'clauses', message: `${key} is named more than once` })))
}

export function editClause(clause: Clause, { title, body, vars = {} }: Omit<ClauseEdit, 'key'>): Clause {
  const text = body === undefined ? clause : readText(clause, body)
  refuseUnusedVars(clause.key, text.body, vars)
  return { key: clause.key, title: title ?? clause.title, body: text.body, vars: { ...text.vars, ...vars } }
}

function readText(clause: Clause, body: string): Pick<Clause, 'body' | 'vars'> {
  const names = listVarNames(body)
  if (names.length === 0) return parseEditedClause(clause, body)
  return { body, vars: Object.fromEntries(names.map((name) => [name, clause.vars[name] ?? null])) }
}

function newClause(clauses: readonly Clause[], { key, title, body, vars = {}, remove }: ClauseEdit): Clause {
  if (remove || body === undefined || title === undefined) {
    const keys = clauses.map((one) => one.key)
    const error = createUnknownNameFieldError('clauses', key, keys, 'clause')
    throw invalidArguments([remove ? error : { ...error, message: `${error.message}; a new clause needs title and body` }])
  }
  refuseUnusedVars(key, body, vars)
  return { key, title, body, vars: Object.fromEntries(listVarNames(body).map((name) => [name, vars[name] ?? null])) }
}

/** Updates dependent values: the cut-off date from the days before arrival, and the room nights from the rooms per night. */
function linkVars(before: readonly Clause[], after: Clause[], edits: ReadonlyMap<string, ClauseEdit>): Clause[] {
  const arrival = after.find(({ key }) => key === 'roomBlock')?.vars['arrival']
  return after.map((clause) => {
    const given = edits.get(clause.key)
    if (given?.body !== undefined) return clause
    if (clause.key === 'roomBlock' && given) return { ...clause, vars: linkRoomNights(clause.vars, given.vars ?? {}) }
    const old = before.find(({ key }) => key === clause.key)
    if (clause.key !== 'cutoff' || !old || typeof arrival !== 'string' || !isCalendarDay(arrival)) return clause
    return { ...clause, vars: linkCutoff(clause.vars, given?.vars ?? {}, arrival) }
  })
}

function linkCutoff(vars: ClauseVariables, given: ClauseVariables, arrival: string): ClauseVariables {
  const { cutoffDays, cutoffOn } = vars
  if (!('cutoffDays' in vars) || !('cutoffOn' in vars)) return vars
  if ('cutoffOn' in given && typeof cutoffOn === 'string' && isCalendarDay(cutoffOn))
    return 'cutoffDays' in given ? vars : { ...vars, cutoffDays: daysBetween(cutoffOn, arrival) }
  return typeof cutoffDays === 'number' ? { ...vars, cutoffOn: addDays(arrival, -cutoffDays) } : vars
}

function linkRoomNights(vars: ClauseVariables, given: ClauseVariables): ClauseVariables {
  const counts = Object.entries(vars).flatMap(([name, value]) => (/^night\d+Rooms$/.test(name) && typeof value === 'number' ? [value] : []))
  if ('roomNights' in given || !('roomNights' in vars) || counts.length === 0) return vars
  return { ...vars, roomNights: counts.reduce((sum, rooms) => sum + rooms, 0) }
}
