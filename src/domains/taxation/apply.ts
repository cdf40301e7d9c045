import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { hasUnpublishedChanges } from '../authoring/configure.ts'
import { editConfigDraft } from '../authoring/edit.ts'
import { truncateLists } from '../authoring/truncate-lists.ts'
import { applyOperationsInParts, type ConfigOperation } from '../configuration/operations.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { getAssessment } from './assessments.ts'
import type { TaxFinding } from './findings.ts'
import { TAX_CHANGE_STEP_BUILDERS } from './change-steps.ts'

interface ApplyRequest {
  assessmentId: string
  findingIds?: readonly string[] | undefined
  all?: boolean | undefined
}

export interface AppliedTaxChange {
  findingId: string
  path: string
  before: unknown
  after: unknown
}

interface SkippedFinding {
  findingId: string
  reason: 'already_applied' | 'not_applicable'
}

export function validateFindingSelection({ findingIds, all }: Record<string, unknown>): FieldError[] {
  if (findingIds !== undefined && all === true) return [{ path: 'all', message: 'is not allowed with findingIds: pass one of them' }]
  if (findingIds === undefined && all !== true) return [{ path: 'findingIds', message: 'is required: ids of findings, or all: true' }]
  return []
}

/** Applies the recommended changes to the draft configuration. Issued invoices do not change and are only counted. */
export async function applyRecommendations(ctx: EventContext, request: ApplyRequest) {
  const { assessmentId } = request
  const { findings } = await getAssessment(ctx, assessmentId)
  if (!findings) {
    throw preconditionFailed(`Assessment ${assessmentId} is not done yet. Try again when start_tax_assessment returns done.`, {
      fix: { tool: 'start_tax_assessment', arguments: { assessmentId }, here: true },
    })
  }
  const { chosen, skipped } = chooseFindings(findings, request)
  const applied: AppliedTaxChange[] = []
  const asked = { assessmentId, findingIds: chosen.map(({ id }) => id) }
  const edited = await editConfigDraft(ctx, { tool: 'apply_tax_recommendations', operations: asked }, async ({ document, config }) => {
    const operations: ConfigOperation[] = []
    const state: EventConfig = structuredClone(config)
    for (const finding of chosen) {
      const steps = TAX_CHANGE_STEP_BUILDERS[finding.change!.how](state, finding)
      if (steps.length === 0) skipped.push({ findingId: finding.id, reason: 'already_applied' })
      for (const { operation, ...step } of steps) {
        operations.push(operation)
        applied.push({ findingId: finding.id, ...step })
      }
    }
    return (await runTaskCooperatively(applyOperationsInParts(document, operations))).document
  })
  return {
    ...truncateLists({ applied, skipped }, 'diff_versions shows the changes of the draft'),
    draftRevision: edited.draftRevision,
    needsPublish: await hasUnpublishedChanges(ctx, edited),
    affectedInvoices: await countAffectedInvoices(ctx, assessmentId, chosen),
  }
}

function chooseFindings(
  findings: readonly TaxFinding[],
  { findingIds, all }: ApplyRequest,
): { chosen: TaxFinding[]; skipped: SkippedFinding[] } {
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
    if (!finding.change) throw preconditionFailed(describeRefusal(finding))
    return finding
  })
  return { chosen, skipped: [] }
}

function describeRefusal({ kind, jurisdiction, productCode, reason }: TaxFinding): string {
  if (kind === 'unknown_rate') return `${jurisdiction} has no embedded rate — set it with config_set`
  return `The finding ${kind} of ${productCode} cannot be fixed by another tax alone. ${reason}`
}

/** Counts the invoices that the findings affect. An invoice with several findings counts once. */
async function countAffectedInvoices(ctx: EventContext, assessmentId: string, findings: readonly TaxFinding[]) {
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
