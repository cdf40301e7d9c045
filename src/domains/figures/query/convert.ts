import { getCurrencyDecimals } from '../../../kernel/money.ts'
import type { CompiledAggregate, GroupQueryRequest } from './compile-groups.ts'
import { createInvalidArgumentError } from './names.ts'
import { buildMinorUnitsPerUnitSql } from './money-units.ts'
import type { StatementPlan } from './plan.ts'

/** Maximum age of an exchange rate in days. Older rates are not used. */
export const MAX_EXCHANGE_RATE_AGE_DAYS = 7
const MAX_LISTED_RATES = 50

/** An exchange rate that a conversion used. */
export interface UsedExchangeRate {
  currency: string
  day: string
  rate: string
  source: string
}

interface Parts {
  /** SQL of the group keys with their column aliases. */
  keys: readonly string[]
  measures: readonly string[]
  where: string
  exploded: string
}

const aliasOf = (column: string) => column.slice(column.lastIndexOf(' as ') + 4)

/**
 * Wraps the statement of a group query so that its amounts become amounts of one currency: they are summed for each event and day, each
 * sum is converted at the rate of that day and rounded, and the rounded sums are added. The column `missing` is true if a rate is missing,
 * and `rates` of the first row lists the rates that were used.
 */
export function createGroupCurrencyConversion(
  plan: StatementPlan,
  request: GroupQueryRequest,
  aggregates: readonly CompiledAggregate[],
  currency: string,
) {
  const { currency: target, rateOn } = plan.scope.conversion!
  const notAdditive = aggregates.find(({ isAdditive }) => !isAdditive)
  if (notAdditive) throw createInvalidArgumentError('currency', `only counts and sums can be converted; ${notAdditive.name} is neither`)
  const day = rateOn === 'row' ? daySql(plan, request) : plan.bind(rateOn, 'date')
  const units = buildMinorUnitsPerUnitSql(plan)
  const targetUnits = 10 ** getCurrencyDecimals(target)
  const rateOf = (code: string) => `(case when ${code} = 'EUR' then 1 else (${selectRate(code, 'q.day', 'fx.per_eur')}) end)`
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
      // The list of used exchange rates is the same for all rows, so only the first row contains the list.
      `case when row_number() over () = 1 then (${selectUsedRates(plan.bind(target, 'text'))}) end as rates`,
    ]
    const grouping = keys.length === 0 ? '' : ` group by ${keys.map((_, i) => i + 1).join(', ')}`
    return `with q as materialized (select q.*, ${rate} as rate from (select ${inner.join(', ')} from ${plan.from()}${exploded}
      where ${where} group by ${groupedBy}) q) select ${outer.join(', ')} from q${grouping}`
  }
}

/** SQL for the exchange rate of a currency on a day: the latest rate of that day or of the week before it. */
const selectRate = (code: string, day: string, columns: string) =>
  `select ${columns} from fx_rates fx where fx.currency = ${code} and fx.day <= ${day} and fx.day >= ${day} - ${MAX_EXCHANGE_RATE_AGE_DAYS} order by fx.day desc limit 1`

/** SQL for the exchange rates that the conversion of the rows in `q` used, as JSON, the latest rates first. */
const selectUsedRates = (target: string) => `select coalesce(json_agg(json_build_object('currency', r.currency, 'day', r.day::text,
    'rate', trim_scale(r.per_eur)::text, 'source', r.source) order by r.day desc, r.currency), '[]')
  from (select distinct r.currency, r.day, r.per_eur, r.source from (select distinct q.currency, q.day from q where q.currency <> ${target}) u
    cross join lateral (values (u.currency), (${target})) c(code)
    cross join lateral (${selectRate('c.code', 'u.day', 'fx.currency, fx.day, fx.per_eur, fx.source')}) r
    order by r.day desc, r.currency limit ${MAX_LISTED_RATES}) r`

function daySql(plan: StatementPlan, { dateField, entity }: GroupQueryRequest): string {
  if (!dateField) throw createInvalidArgumentError('rateOn', `${entity} has no date that decides its exchange rate: pass rateOn as a day`)
  const { field, sql } = plan.field(dateField, 'rateOn', 'column')
  return field.type === 'day' ? sql : `(${sql} at time zone ${plan.zone()})::date`
}
