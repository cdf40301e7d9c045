import { decimalsOf } from '../../../kernel/money.ts'
import type { CompiledAggregate, GroupRequest } from './compile-groups.ts'
import { wrong } from './names.ts'
import type { Plan } from './plan.ts'
import { minorUnitsPerUnit } from './filter.ts'

/** Rates older than this are not used. */
const MAX_AGE_DAYS = 7

interface Parts {
  /** Columns of group keys, each with its alias. */
  keys: readonly string[]
  measures: readonly string[]
  where: string
  exploded: string
}

const aliasOf = (column: string) => column.slice(column.lastIndexOf(' as ') + 4)

/**
 * Wraps the statement of a group query so that its amounts become amounts of one currency: they are summed for each event and day, each
 * sum is converted at the rate of that day and rounded, and the rounded sums are added. The column `missing` is true if a rate is missing.
 */
export function convertGroups(plan: Plan, request: GroupRequest, aggregates: readonly CompiledAggregate[], currency: string) {
  const { currency: target, rateOn } = plan.scope.conversion!
  const notAdditive = aggregates.find(({ isAdditive }) => !isAdditive)
  if (notAdditive) throw wrong('currency', `only counts and sums can be converted; ${notAdditive.name} is neither`)
  const day = rateOn === 'row' ? daySql(plan, request) : plan.bind(rateOn, 'date')
  const units = minorUnitsPerUnit(plan)
  const targetUnits = 10 ** decimalsOf(target)
  const rateOf = (code: string) =>
    `(case when ${code} = 'EUR' then 1 else (select fx.per_eur from fx_rates fx where fx.currency = ${code} and fx.day <= q.day
      and fx.day > q.day - ${MAX_AGE_DAYS} order by fx.day desc limit 1) end)`
  return ({ keys, measures, where, exploded }: Parts): string => {
    const inner = [...keys, `${currency} as currency`, `${day} as day`, `${plan.row}.event_id as event`, `${units} as units`, ...measures]
    const groupedBy = Array.from({ length: keys.length + 4 }, (_, i) => i + 1).join(', ')
    const rate = `(case when q.currency = ${plan.bind(target, 'text')} then 1 else ${rateOf(plan.bind(target, 'text'))} / ${rateOf('q.currency')} end)`
    const outer = [
      ...keys.map((key) => `q.${aliasOf(key)}`),
      ...aggregates.map(({ type }, i) =>
        type === 'money' ? `coalesce(sum(round(q.a${i} * q.rate * ${targetUnits} / q.units)), 0) as a${i}` : `sum(q.a${i}) as a${i}`,
      ),
      'bool_or(q.rate is null) as missing',
    ]
    const grouping = keys.length === 0 ? '' : ` group by ${keys.map((_, i) => i + 1).join(', ')}`
    return `select ${outer.join(', ')} from (select q.*, ${rate} as rate from (select ${inner.join(', ')} from ${plan.from()}${exploded}
      where ${where} group by ${groupedBy}) q) q${grouping}`
  }
}

function daySql(plan: Plan, { dateField, entity }: GroupRequest): string {
  if (!dateField) throw wrong('rateOn', `${entity} has no date that decides its exchange rate: pass rateOn as a day`)
  const { field, sql } = plan.field(dateField, 'rateOn', 'column')
  return field.type === 'day' ? sql : `(${sql} at time zone ${plan.zone()})::date`
}
