import { MONEY_MOVEMENT_KINDS, type MoneyMovementFilter } from '../../../../domains/orders/overview/movements.ts'
import { PAYMENT_METHODS } from '../../../../domains/orders/tables.ts'
import { addDays, isCalendarDay } from '../../../../kernel/time.ts'
import type { ListFilterValues } from '../filters.ts'

export const MONEY_MOVEMENT_FILTERS = ['search', 'method', 'period', 'kind', 'test'] as const

export const MONEY_MOVEMENT_PERIODS = [
  { value: '1', label: 'Today' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '365', label: 'Last 12 months' },
]

/** Converts the query parameters or form fields of the Money page to a filter. Unknown values are ignored. */
export function toMoneyMovementFilter(filter: ListFilterValues, today: string): MoneyMovementFilter {
  const period = MONEY_MOVEMENT_PERIODS.find(({ value }) => value === filter['period'])
  const day = (name: string) => (isCalendarDay(filter[name] ?? '') ? filter[name] : undefined)
  return {
    search: filter['search'],
    method: PAYMENT_METHODS.find((method) => method === filter['method']),
    kind: MONEY_MOVEMENT_KINDS.find((kind) => kind === filter['kind']),
    from: period ? addDays(today, 1 - Number(period.value)) : day('from'),
    until: day('until'),
    isTestData: filter['test'] === 'yes',
  }
}
