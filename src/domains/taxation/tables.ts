import type { ColumnType, Generated } from 'kysely'
import type { Json } from '../../kernel/columns.ts'
import type { Basis } from './basis.ts'
import type { Finding } from './findings.ts'
import type { Outcome } from './shapes.ts'
import type { Tally } from './tally.ts'

type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>

interface TaxAssessmentsTable {
  tenant_id: number
  event_id: string
  id: string
  job_id: string
  draft_revision: number
  version_id: string | null
  as_of: string
  basis: Json<Basis>
  rate_table_version: string | null
  tally: MaybeJson<Tally>
  last_order_id: string | null
  findings: MaybeJson<Finding[]>
  outcome: MaybeJson<Outcome>
  created_at: Generated<Date>
}

interface TaxAssessmentInvoicesTable {
  tenant_id: number
  event_id: string
  assessment_id: string
  invoice_id: string
  findings: string[]
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    tax_assessments: TaxAssessmentsTable
    tax_assessment_invoices: TaxAssessmentInvoicesTable
  }
}
