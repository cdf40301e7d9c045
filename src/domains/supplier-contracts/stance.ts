import { fillClauseVariables, listVarNames } from './clause-text.ts'
import { isSameClause } from './compare.ts'
import { findPlaybookEntry, type Playbook, type PlaybookEntry } from './library/playbook.ts'
import { formatVariableWithUnit, getVariableLabel } from './library/variable-names.ts'
import { isRiskierValue } from './risk.ts'
import type { Clause, ClauseVariables, CounterProposalItem } from './tables.ts'

export const NEGOTIATION_STANCES = ['firm', 'balanced', 'close'] as const
export type NegotiationStance = (typeof NEGOTIATION_STANCES)[number]

/** Computes the value that the client proposes in response to the supplier's value. */
export function computeCounterProposalValue(theirs: number, entry: PlaybookEntry, stance: NegotiationStance): number {
  const { standard, fallback } = entry
  if (!isRiskierValue(theirs, standard, entry)) return theirs
  if (stance === 'firm') return standard
  if (!isRiskierValue(theirs, fallback, entry)) return theirs
  if (stance === 'close') return fallback
  const halfway = roundTowards(standard, (standard + theirs) / 2, entry.step)
  return isRiskierValue(halfway, fallback, entry) ? fallback : halfway
}

/** Rounds a proposed value to a whole number of steps from the client's value, towards the client's value. */
function roundTowards(ours: number, value: number, step: number): number {
  const steps = Math.floor(Math.abs(value - ours) / step + 1e-9)
  return Number((ours + Math.sign(value - ours) * steps * step).toFixed(6))
}

/** Builds the client's counterproposal for a clause: values by the negotiation playbook, other text from the client's last version. */
export function buildClauseCounterProposal(
  playbook: Playbook,
  key: string,
  ours: Clause | undefined,
  theirs: Clause | undefined,
  stance: NegotiationStance,
): CounterProposalItem {
  if (!ours) return { key, action: 'reject', why: 'The clause is new and our last version has none like it.' }
  if (!theirs) return { key, action: 'reject', why: 'The clause was removed. We keep our last text, unchanged.' }
  const { vars, whys } = counterVars(playbook, ours, theirs, stance)
  const counter: Clause = { ...ours, vars }
  if (isSameClause(counter, theirs)) return { key, action: 'accept', why: whys.join(' ') || 'The text is the same as ours.' }
  const textWhy = hasOtherText(ours, theirs, vars) ? ['We keep our last text.'] : []
  const why = [...whys, ...textWhy].join(' ')
  if (isSameClause(counter, ours)) return { key, action: 'reject', why }
  return { key, action: 'replace', body: ours.body, vars, why }
}

function counterVars(
  playbook: Playbook,
  ours: Clause,
  theirs: Clause,
  stance: NegotiationStance,
): { vars: ClauseVariables; whys: string[] } {
  const vars: ClauseVariables = { ...ours.vars }
  const whys: string[] = []
  for (const name of listVarNames(ours.body)) {
    const [entry, value] = [findPlaybookEntry(playbook, ours.key, name), theirs.vars[name]]
    if (!entry || typeof value !== 'number' || value === ours.vars[name]) continue
    const answer = computeCounterProposalValue(value, entry, stance)
    vars[name] = answer
    whys.push(explain(name, value, answer, entry, stance))
  }
  return { vars, whys }
}

function explain(name: string, theirs: number, answer: number, { standard, fallback }: PlaybookEntry, stance: NegotiationStance): string {
  const format = (value: number) => formatVariableWithUnit(name, value)
  const subject = `${getVariableLabel(name)}: ${format(theirs)} is`
  if (answer === theirs) return `${subject} within our fallback of ${format(fallback)}.`
  if (answer === standard) return `${subject} too far from our standard of ${format(standard)}.`
  return stance === 'balanced' && answer !== fallback
    ? `${subject} beyond our fallback of ${format(fallback)}; ${format(answer)} is between our standard of ${format(standard)} and theirs.`
    : `${subject} beyond our fallback of ${format(fallback)}; we offer ${format(answer)}.`
}

/** Whether the supplier changed more of the clause than the values that the counterproposal answers. */
const hasOtherText = (ours: Clause, theirs: Clause, answered: ClauseVariables): boolean =>
  fillClauseVariables({ body: ours.body, vars: { ...answered } }) !==
  fillClauseVariables({ body: theirs.body, vars: { ...theirs.vars, ...answered } })
