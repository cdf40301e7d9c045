import type { FieldClass, FieldType } from '../../figures/dictionary/types.ts'
import type { ReportColumn } from '../../figures/report-table.ts'

const column =
  (type: FieldType) =>
  (name: string, label: string, of: FieldClass = 'open'): ReportColumn => ({ name, label, type, class: of })

export const text = column('text')
export const code = column('code')
export const integer = column('integer')
export const decimal = column('decimal')
export const percent = column('percent')
export const money = column('money')
export const day = column('day')
export const instant = column('instant')
export const choice = column('enum')
export const flag = column('boolean')
export const list = column('list')
export const country = column('country')
