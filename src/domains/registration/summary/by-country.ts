import type { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { sumMinorUnits, toMoney } from '../../../kernel/money.ts'
import { countParticipantsByStatus, groupByKeyLargestFirst, sumCounts } from './counts.ts'
import type { RegistrationSummaryFigures } from './summary-figures.ts'
import type { RegistrationSummary } from './summary-shapes.ts'

type CountryCount = NonNullable<RegistrationSummaryFigures['countries']>[number]
type CountryRow = z.input<NonNullable<(typeof RegistrationSummary)['byCountry']>>

/** The minimum size of a group. Smaller groups could identify a person, so readers without personal.read see them merged. */
const MIN_GROUP_SIZE = 5

/** Counts participants by country, largest group first. Readers without personal.read see neither small groups nor amounts. */
export function countByCountry(
  { event, permissions }: Pick<EventContext, 'event' | 'permissions'>,
  counts: readonly CountryCount[],
): CountryRow {
  const groups = groupByKeyLargestFirst(counts, ({ country }) => country)
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const nameOf = (country: string | null) => (country === null ? undefined : names.of(country))
  const toRow = (country: string | null, rows: readonly CountryCount[]) => {
    const name = nameOf(country)
    return { country, ...(name === undefined ? {} : { name }), ...countParticipantsByStatus(rows) }
  }
  if (permissions.has('personal.read'))
    return groups.map(([country, rows]) => ({
      ...toRow(country, rows),
      ordered: toMoney(sumMinorUnits(rows.map(({ ordered }) => ordered)), event.currency),
      balance: toMoney(sumMinorUnits(rows.map(({ balance }) => balance)), event.currency),
    }))
  const shown = groups.filter(([, rows]) => sumCounts(rows) >= MIN_GROUP_SIZE)
  const merged = groups.slice(shown.length).flatMap(([, rows]) => rows)
  // If the countries merged so far have too few participants together, the next smallest country is merged as well.
  if (merged.length > 0 && sumCounts(merged) < MIN_GROUP_SIZE) merged.push(...(shown.pop()?.[1] ?? []))
  return [
    ...shown.map(([country, rows]) => toRow(country, rows)),
    ...(merged.length > 0 ? [{ country: null, suppressed: true as const, ...countParticipantsByStatus(merged) }] : []),
  ]
}
