import type { FieldAccessClass, FieldType } from '../../figures/dictionary/types.ts'
import type { ReportColumn } from '../../figures/report-table.ts'

const column =
  (type: FieldType) =>
  (name: string, label: string, of: FieldAccessClass = 'open'): ReportColumn => ({ name, label, type, class: of })

export const textColumn = column('text')
export const codeColumn = column('code')
export const integerColumn = column('integer')
export const decimalColumn = column('decimal')
export const percentColumn = column('percent')
export const moneyColumn = column('money')
export const dayColumn = column('day')
export const instantColumn = column('instant')
export const choiceColumn = column('enum')
export const booleanColumn = column('boolean')
export const listColumn = column('list')
export const countryColumn = column('country')
