import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { inTurns } from '../../kernel/turns.ts'
import { needsPublish } from '../authoring/configure.ts'
import { editDraft } from '../authoring/edit.ts'
import { fitting } from '../authoring/told.ts'
import { applyInParts, type Operation } from '../configuration/operations.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { getAssessment } from './assessments.ts'
import type { Finding } from './findings.ts'
import { FINDING_MENDS } from './mends.ts'

interface Request {
  assessmentId: string
  findingIds?: readonly string[] | undefined
  all?: boolean | undefined
}

export interface Applied {
  findingId: string
  path: string
  before: unknown
  after: unknown
}

interface Skipped {
  findingId: string
  reason: 'already_applied' | 'not_applicable'
}

export function faultsOfChoice({ findingIds, all }: Record<string, unknown>): FieldError[] {
  if (findingIds !== undefined && all === true) return [{ path: 'all', message: 'is not taken with findingIds: give one of them' }]
  if (findingIds === undefined && all !== true) return [{ path: 'findingIds', message: 'is needed: ids of findings, or all: true' }]
  return []
}

/** Changes the draft as findings recommend. What was issued stays: it is only counted. */
export async function applyRecommendations(ctx: EventContext, request: Request) {
  const { assessmentId } = request
  const { findings } = await getAssessment(ctx, assessmentId)
  if (!findings) {
    throw preconditionFailed(`Assessment ${assessmentId} is not done yet: ask again when start_tax_assessment says done`, {
      fix: { tool: 'start_tax_assessment', arguments: { assessmentId }, here: true },
    })
  }
  const { chosen, skipped } = choose(findings, request)
  const applied: Applied[] = []
  const asked = { assessmentId, findingIds: chosen.map(({ id }) => id) }
  const edited = await editDraft(ctx, { tool: 'apply_tax_recommendations', operations: asked }, async ({ document, config }) => {
    const operations: Operation[] = []
    const state: EventConfig = structuredClone(config)
    for (const finding of chosen) {
      const steps = FINDING_MENDS[finding.change!.how](state, finding)
      if (steps.length === 0) skipped.push({ findingId: finding.id, reason: 'already_applied' })
      for (const { operation, ...told } of steps) {
        operations.push(operation)
        applied.push({ findingId: finding.id, ...told })
      }
    }
    return (await inTurns(applyInParts(document, operations))).document
  })
  return {
    ...fitting({ applied, skipped }, 'diff_versions tells what the draft changes'),
    draftRevision: edited.draftRevision,
    needsPublish: await needsPublish(ctx, edited),
    affectedInvoices: await affectedInvoices(ctx, assessmentId, chosen),
  }
}

function choose(findings: readonly Finding[], { findingIds, all }: Request): { chosen: Finding[]; skipped: Skipped[] } {
  if (all) {
    const others = findings.filter(({ change }) => !change)
    return {
      chosen: findings.filter(({ change }) => change),
      skipped: others.map(({ id }) => ({ findingId: id, reason: 'not_applicable' })),
    }
  }
  const chosen = [...new Set(findingIds)].map((wanted) => {
    const finding = findings.find(({ id }) => id === wanted)
    if (!finding) throw notFound(`No finding ${wanted} in this assessment — read it with start_tax_assessment and its assessmentId`)
    if (!finding.change) throw preconditionFailed(refusal(finding))
    return finding
  })
  return { chosen, skipped: [] }
}

function refusal({ kind, jurisdiction, productCode, reason }: Finding): string {
  if (kind === 'unknown_rate') return `${jurisdiction} has no embedded rate — set it with config_set`
  return `The finding ${kind} of ${productCode} cannot be mended by another tax alone. ${reason}`
}

/** Each invoice once, however many of the findings it has. */
async function affectedInvoices(ctx: EventContext, assessmentId: string, findings: readonly Finding[]) {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tax_assessment_invoices
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and assessment_id = ${assessmentId}
      and findings && ${findings.map(({ id }) => id)}::text[]`.execute(ctx.db)
  const sum = (side: 'under' | 'over') =>
    toMoney(
      findings.reduce((total, { exposure }) => total + exposure[side], 0),
      ctx.event.currency,
    )
  return { count: rows[0]!.count, under: sum('under'), over: sum('over') }
}
