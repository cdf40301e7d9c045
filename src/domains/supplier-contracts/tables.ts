import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'

/** The values of the variables in a clause's text, by name. Amounts are texts with currency, days are YYYY-MM-DD. */
export type ClauseVariables = Record<string, string | number | boolean | null>

/** A clause of one contract version. Its `body` contains variables as `{{name}}`. */
export interface Clause {
  key: string
  title: string
  body: string
  vars: ClauseVariables
}

export interface CounterProposalItem {
  key: string
  action: 'accept' | 'reject' | 'replace'
  body?: string
  vars?: ClauseVariables
  why: string
}

export type ContractRow = Selectable<Tables['supplier_contracts']>
export type ContractVersionRow = Selectable<Tables['contract_versions']>
export type ClauseRow = Selectable<Tables['contract_clauses']>
export type CounterProposalRow = Selectable<Tables['contract_counters']>
export type MilestoneRow = Selectable<Tables['milestones']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'contract_versions.clauses': Clause[]
    'contract_counters.items': CounterProposalItem[]
  }
}
