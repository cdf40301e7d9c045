import { fillClauseVariables, isVariableValueMissing, parseVariableValue, splitClauseBody } from './clause-text.ts'
import type { Clause, ClauseVariables } from './tables.ts'
import { diffWords } from './words.ts'

/** A range of the old text and the range of the new text that replaces it. */
interface Replacement {
  from: number
  until: number
  newFrom: number
  newUntil: number
}

/**
 * Reads a clause from an edited copy of its filled text, such as a supplier's redline. If the value of a variable was replaced by another
 * value of the same type, the variable gets the new value; all other changes are changes of the text.
 */
export function parseEditedClause(before: Clause, written: string): Pick<Clause, 'body' | 'vars'> {
  const old = fillClauseVariables(before)
  if (written === old) return { body: before.body, vars: before.vars }
  const replacements = listReplacements(old, written)
  const vars: ClauseVariables = { ...before.vars }
  let body = ''
  let at = 0
  let position = 0
  for (const { text, name } of splitClauseBody(before)) {
    const [start, end] = [position, position + text.length]
    position = end
    if (name === undefined) continue
    const value = findValue(replacements, { start, end, written, old: before.vars[name], text })
    if (value === null || value.from < at) continue
    if ('value' in value) vars[name] = value.value
    body += `${written.slice(at, value.from)}{{${name}}}`
    at = value.until
  }
  body += written.slice(at)
  return { body, vars: keepUsed(body, vars) }
}

function listReplacements(old: string, written: string): Replacement[] {
  const replacements: Replacement[] = []
  let [from, newFrom] = [0, 0]
  let open: Replacement | null = null
  for (const { op, text } of diffWords(old, written)) {
    if (op === 'equal') open = null
    else if (open === null) replacements.push((open = { from, until: from, newFrom, newUntil: newFrom }))
    if (op !== 'insert') from += text.length
    if (op !== 'delete') newFrom += text.length
    if (open) Object.assign(open, { until: from, newUntil: newFrom })
  }
  return replacements
}

interface Place {
  start: number
  end: number
  written: string
  old: ClauseVariables[string] | undefined
  text: string
}

interface Found {
  from: number
  until: number
  /** The new value of the variable, if it changed. */
  value?: ClauseVariables[string]
}

/**
 * Finds the position of a variable's value in the new text, and the value if it changed. Null if the new text no longer contains the
 * variable.
 */
function findValue(replacements: readonly Replacement[], { start, end, written, old, text }: Place): Found | null {
  const touching = replacements.filter(({ from, until }) => from < end && until > start)
  const shift = (position: number) => {
    const last = replacements.filter(({ until }) => until <= position).at(-1)
    return last ? position + last.newUntil - last.until : position
  }
  if (touching.length === 0) return { from: shift(start), until: shift(start) + text.length }
  const [first, last] = [touching[0]!, touching.at(-1)!]
  if (first.from >= start && last.until <= end) {
    const range = { from: first.from === start ? first.newFrom : shift(start), until: last.newUntil + (end - last.until) }
    return readValue(written, range, old)
  }
  return touching.length === 1 && typeof old === 'number' ? findNumber(first, written) : null
}

/** Parses the value of a variable from a range of the text, without surrounding whitespace. */
function readValue(written: string, range: { from: number; until: number }, old: ClauseVariables[string] | undefined) {
  const text = written.slice(range.from, range.until)
  const [from, until] = [range.from + text.length - text.trimStart().length, range.until - text.length + text.trimEnd().length]
  const value = parseVariableValue(text, isVariableValueMissing(old) ? guessKind(text) : old)
  return value === null ? null : { from, until, value }
}

/**
 * Finds the new number if the replaced range is longer than the variable's value, as when "80 percent" becomes "90 per cent". Null unless
 * the new text contains exactly one number.
 */
function findNumber({ newFrom, newUntil }: Replacement, written: string) {
  const numbers = [...written.slice(newFrom, newUntil).matchAll(/\d+(?:\.\d+)?/g)]
  if (numbers.length !== 1) return null
  const from = newFrom + numbers[0]!.index
  return { from, until: from + numbers[0]![0].length, value: Number(numbers[0]![0]) }
}

/** Guesses the type of a variable that had no value: a number if the text is one, otherwise text. */
const guessKind = (written: string) => (/^\s*-?\d+(\.\d+)?\s*$/.test(written) ? 0 : 'text')

const keepUsed = (body: string, vars: ClauseVariables): ClauseVariables =>
  Object.fromEntries(Object.entries(vars).filter(([name]) => body.includes(`{{${name}}}`)))
