import type { Tables } from '../../kernel/columns.ts'
import type {
  DirectoryAuth,
  DirectoryFieldMapping,
  DirectoryLookupOutcome,
  DirectoryRequests,
  DirectoryCallStep,
  DirectoryTagRule,
} from './engine/spec.ts'
import { CONNECTION_STATES } from './state-machine.ts'

export const CONNECTION_STATUSES = CONNECTION_STATES.all
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number]

export const LOOKUP_FAILURE_POLICIES = ['allow', 'block', 'queue'] as const
export type LookupFailurePolicy = (typeof LOOKUP_FAILURE_POLICIES)[number]

/** Steps and outcome of the connection's last test, without any data about the person looked up. */
export interface LastConnectionTest {
  at: string
  ok: boolean
  outcome: DirectoryLookupOutcome
  httpStatus: number | null
  steps: DirectoryCallStep[]
}

/** JSONPath expression and type of a value in the directory record that a passed connection test returned, without the value. */
export interface SampleValuePath {
  expression: string
  sampleType: string
}

export type ConnectionsTable = Tables['directory_connections']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'directory_connections.settings': Record<string, string>
    'directory_connections.auth': DirectoryAuth
    'directory_connections.requests': DirectoryRequests
    'directory_connections.bindings': DirectoryFieldMapping[]
    'directory_connections.tag_rules': DirectoryTagRule[]
    'directory_connections.last_test': LastConnectionTest
    'directory_connections.sources': SampleValuePath[]
    'directory_lookups.outcome': DirectoryLookupOutcome
  }
}
