import type { TaxAssessmentData } from './basis.ts'
import type { TaxFinding } from './findings.ts'
import type { AssessedOrderStatistics } from './shapes.ts'
import type { AssessmentCounts } from './tally.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'tax_assessments.basis': TaxAssessmentData
    'tax_assessments.tally': AssessmentCounts
    'tax_assessments.findings': TaxFinding[]
    'tax_assessments.outcome': AssessedOrderStatistics
  }
}
