import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import type { Sheet } from '../sheets/sheets.ts'
import type { ImportQuestionAnswers, SheetJoinStatistics, ProposedSheet } from './propose.ts'
import { listSheetJoinKeys, findSheetJoinField, buildSheetReadingPlan } from './sheet-plan.ts'

/** Counts how many rows of each other sheet match a person in the people sheet. */
export async function countMatchedRows(
  sheets: readonly Sheet[],
  proposed: readonly ProposedSheet[],
  formats: ImportQuestionAnswers['formats'],
): Promise<SheetJoinStatistics[]> {
  const people = proposed.find(({ kind }) => kind === 'participants')
  const others = proposed.filter(({ kind }) => kind === 'payments' || kind === 'orderLines')
  if (!people || others.length === 0) return []
  const sheetOf = (name: string) => sheets.find((sheet) => sheet.name === name)!
  const plan = buildSheetReadingPlan(people, formats)
  const joins: SheetJoinStatistics[] = []
  for (const other of others) {
    const own = buildSheetReadingPlan(other, formats)
    const field = findSheetJoinField(plan, own)
    if (field === null) continue
    const known = new Set<string>()
    for await (const row of sheetOf(people.name).rows()) {
      for (const key of listSheetJoinKeys(field, plan, row)) known.add(key)
      await yieldToEventLoop()
    }
    let [matched, unmatched] = [0, 0]
    for await (const row of sheetOf(other.name).rows()) {
      if (
        listSheetJoinKeys(field, own, row)
          .slice(0, 1)
          .some((key) => known.has(key))
      )
        matched++
      else unmatched++
      await yieldToEventLoop()
    }
    joins.push({ from: other.name, to: people.name, column: own.at.get(field)!.name, matched, unmatched })
  }
  return joins
}
