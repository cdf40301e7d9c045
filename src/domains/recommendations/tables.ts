import type { ColumnType, GeneratedAlways } from 'kysely'

interface RecommendationProfilesTable {
  tenant_id: number
  event_id: string
  participant_id: string
  person: GeneratedAlways<number>
  visible: boolean
  interests: string[]
  sessions: string[]
  products: string[]
  terms: ColumnType<Record<string, number>, string, string>
  company: string | null
}

interface RecommendationCountsTable {
  tenant_id: number
  event_id: string
  key: string
  people: number
}

interface RecommendationWorkTable {
  tenant_id: number
  event_id: string
  done_up_to: string | null
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    recommendation_profiles: RecommendationProfilesTable
    recommendation_counts: RecommendationCountsTable
    recommendation_work: RecommendationWorkTable
  }
}
