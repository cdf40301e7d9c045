import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type { Configuration } from '../configuration/read.ts'
import { hashFlowConfiguration } from './rehearse.ts'
import type { RehearsalReportData } from './report-shape.ts'

export interface LatestRehearsal {
  draftRevision: number
  /** Whether the registration flow is unchanged since it was rehearsed with test participants. */
  isCurrent: boolean
  errors: number
}

/** Reads the last finished rehearsal (simulated run with test participants) of each registration flow, by the slug of the flow. */
export async function readLatestRehearsals(ctx: EventContext, configuration: Configuration): Promise<ReadonlyMap<string, LatestRehearsal>> {
  const { rows } = await sql<{ slug: string; hash: string; draftRevision: number; report: RehearsalReportData }>`
    select distinct on (flow_slug) flow_slug as slug, flow_hash as hash, draft_revision as "draftRevision", report from rehearsals
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and status = 'done'
    order by flow_slug, created_at desc, id desc`.execute(ctx.db)
  const flows = new Map(configuration.config.flows.map((flow) => [flow.slug, flow]))
  return new Map(
    rows.map(({ slug, hash, draftRevision, report }) => {
      const flow = flows.get(slug)
      const errors = report.findings.filter(({ level }) => level === 'error').length
      return [slug, { draftRevision, isCurrent: flow !== undefined && hashFlowConfiguration(configuration, flow) === hash, errors }]
    }),
  )
}
