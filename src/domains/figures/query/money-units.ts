import { getCurrencyDecimals, isCurrency } from '../../../kernel/money.ts'
import type { StatementPlan } from './plan.ts'

/**
 * Returns SQL for the number of minor units per unit of a row's currency, such as 100 for EUR. Amounts are stored in minor units, and
 * currencies differ in their number of decimals.
 */
export function buildMinorUnitsPerUnitSql(plan: StatementPlan): string {
  const currency = `${plan.eventRow()}.currency`
  const cases = Object.entries(
    Object.groupBy(Intl.supportedValuesOf('currency').filter(isCurrency), (code) => String(getCurrencyDecimals(code))),
  )
    .filter(([decimals]) => decimals !== '2')
    .map(([decimals, codes]) => `when ${currency} = any(${plan.bind(codes, 'text[]')}) then ${10 ** Number(decimals)}`)
  return `(case ${cases.join(' ')} else 100 end)`
}
