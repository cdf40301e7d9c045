import { fillClauseVariables, isVariableValueMissing, listVarNames } from './clause-text.ts'
import { findPlaybookEntry, type Playbook, type PlaybookEntry } from './library/playbook.ts'
import { formatVariableWithUnit, getVariableLabel } from './library/variable-names.ts'
import type { Clause } from './tables.ts'
import { diffWords, splitTextIntoWords } from './words.ts'

export const RISK_LEVELS = ['low', 'medium', 'high'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

export interface RiskAssessment {
  risk: RiskLevel
  /** Whether a value is beyond the limit at which the client does not want to sign. */
  walkAway: boolean
  /** One sentence for each reason why the risk is medium or high. */
  reasons: string[]
}

const LOW: RiskAssessment = { risk: 'low', walkAway: false, reasons: [] }

const NEGATIONS = new Set(['no', 'not', 'never', 'none', 'nor', 'neither', 'cannot', 'without', 'except', 'unless', 'exclude', 'excluding'])
const MAX_SMALL_CHANGE = 0.05

/** Rates the risk of a value in a clause by the limits of the playbook. */
export function rateClauseValueRisk(value: number, entry: PlaybookEntry): Pick<RiskAssessment, 'risk' | 'walkAway'> {
  if (!isRiskierValue(value, entry.standard, entry)) return { risk: 'low', walkAway: false }
  if (!isRiskierValue(value, entry.fallback, entry)) return { risk: 'medium', walkAway: false }
  return { risk: 'high', walkAway: isRiskierValue(value, entry.walkAway, entry) }
}

export const isRiskierValue = (value: number, than: number, { better }: Pick<PlaybookEntry, 'better'>) =>
  better === 'lower' ? value > than : value < than

/** Rates the risk of a clause by the playbook and by how much its text differs from the client's text. A removed clause is a high risk. */
export function assessClauseRisk(playbook: Playbook, ours: Clause | undefined, now: Clause | undefined): RiskAssessment {
  if (!now) return ours ? { risk: 'high', walkAway: false, reasons: ['The clause was removed.'] } : LOW
  const parts = [...assessValues(playbook, now), ...assessText(playbook, ours, now)]
  return {
    risk: parts.reduce<RiskLevel>((worst, { risk }) => (RISK_LEVELS.indexOf(risk) > RISK_LEVELS.indexOf(worst) ? risk : worst), 'low'),
    walkAway: parts.some(({ walkAway }) => walkAway),
    reasons: parts.flatMap(({ reasons }) => reasons),
  }
}

function assessValues(playbook: Playbook, { key, body, vars }: Clause): RiskAssessment[] {
  return listVarNames(body).flatMap((name) => {
    const [entry, value] = [findPlaybookEntry(playbook, key, name), vars[name]]
    if (!entry || typeof value !== 'number') return []
    const rated = rateClauseValueRisk(value, entry)
    return rated.risk === 'low' ? [] : [{ ...rated, reasons: [describeValue(name, value, entry, rated)] }]
  })
}

function describeValue(name: string, value: number, entry: PlaybookEntry, { risk, walkAway }: Pick<RiskAssessment, 'risk' | 'walkAway'>) {
  const format = (number: number) => formatVariableWithUnit(name, number)
  const subject = `${getVariableLabel(name)}: ${format(value)} is`
  if (walkAway) return `${subject} past the limit of ${format(entry.walkAway)}.`
  return risk === 'high'
    ? `${subject} beyond the fallback of ${format(entry.fallback)}.`
    : `${subject} within the fallback of ${format(entry.fallback)}, not at the standard of ${format(entry.standard)}.`
}

/** Rates the text of a clause. Values in the playbook are rated separately, so only the rest of the text is compared. */
function assessText(playbook: Playbook, ours: Clause | undefined, now: Clause): RiskAssessment[] {
  if (!ours) return [{ risk: 'medium', walkAway: false, reasons: ['The clause is new.'] }]
  const [old, current] = [textWithoutRated(playbook, ours), textWithoutRated(playbook, now)]
  if (old === current) return []
  const change = measureTextChange(old, current)
  if (change.share <= MAX_SMALL_CHANGE && !change.addsNegation && !change.addsNumber) return []
  const reason = change.addsNegation
    ? 'The new text adds a negation.'
    : change.addsNumber
      ? 'The new text adds a number.'
      : `${Math.round(change.share * 100)} percent of the words changed.`
  return [{ risk: 'medium', walkAway: false, reasons: [reason] }]
}

const textWithoutRated = (playbook: Playbook, { key, body, vars }: Clause): string =>
  fillClauseVariables({
    body,
    vars: Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [
        name,
        findPlaybookEntry(playbook, key, name) && !isVariableValueMissing(value) ? null : value,
      ]),
    ),
  })

/** Compares two texts of a clause. Returns the share of changed words, and the added text. */
export function measureTextChange(old: string, current: string) {
  const wordsOf = (text: string) => splitTextIntoWords(text).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const hunks = diffWords(old, current)
  const added = wordsOf(hunks.flatMap(({ op, text }) => (op === 'insert' ? [text] : [])).join(' '))
  const removed = wordsOf(hunks.flatMap(({ op, text }) => (op === 'delete' ? [text] : [])).join(' '))
  const all = wordsOf(old).length
  return {
    share: all === 0 ? 1 : Math.max(added.length, removed.length) / all,
    addsNegation: added.some((word) => NEGATIONS.has(word.toLowerCase())) || /n['’]t\b/.test(added.join(' ')),
    addsNumber: added.some((word) => /\p{N}/u.test(word)),
  }
}
