import type { AssessmentBasis } from './basis.ts'
import type { TaxFinding } from './findings.ts'
import type { AssessmentOutcome } from './shapes.ts'
import type { LineTally } from './tally.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'tax_assessments.basis': AssessmentBasis
    'tax_assessments.tally': LineTally
    'tax_assessments.findings': TaxFinding[]
    'tax_assessments.outcome': AssessmentOutcome
  }
}
