import { giveWay } from '../../kernel/turns.ts'
import type { Sheet } from '../sheets/sheets.ts'
import type { Answered, Join, ProposedSheet } from './propose.ts'
import { joinKeys, joinOf, planOf } from './sheet-plan.ts'

/** How many rows of the other sheets find their person in the sheet of people. */
export async function countJoins(
  sheets: readonly Sheet[],
  proposed: readonly ProposedSheet[],
  formats: Answered['formats'],
): Promise<Join[]> {
  const people = proposed.find(({ kind }) => kind === 'participants')
  const others = proposed.filter(({ kind }) => kind === 'payments' || kind === 'orderLines')
  if (!people || others.length === 0) return []
  const sheetOf = (name: string) => sheets.find((sheet) => sheet.name === name)!
  const plan = planOf(people, formats)
  const joins: Join[] = []
  for (const other of others) {
    const own = planOf(other, formats)
    const field = joinOf(plan, own)
    if (field === null) continue
    const known = new Set<string>()
    for await (const row of sheetOf(people.name).rows()) {
      for (const key of joinKeys(field, plan, row)) known.add(key)
      await giveWay()
    }
    let [matched, unmatched] = [0, 0]
    for await (const row of sheetOf(other.name).rows()) {
      if (
        joinKeys(field, own, row)
          .slice(0, 1)
          .some((key) => known.has(key))
      )
        matched++
      else unmatched++
      await giveWay()
    }
    joins.push({ from: other.name, to: people.name, column: own.at.get(field)!.name, matched, unmatched })
  }
  return joins
}
