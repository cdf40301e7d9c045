import type { CompanyInvitation } from '../exhibitors/staff/invitations.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { type VisitDevice, recordPageVisit, recordPageSubmission, openFlowVisit, recordSkippedPage } from '../registration/flows/visits.ts'
import { saveRegistrationProgress, type RegistrationProgress, loadRegistrationProgress } from './progress.ts'

/**
 * Starts or continues the visit (one pass through a flow, for statistics), and stores its id with the registration, so that all pages share
 * it.
 */
export async function beginFormVisit(
  ctx: RegistrationContext,
  participantId: string,
  { device, utm }: { device: VisitDevice; utm: Record<string, string> },
): Promise<void> {
  const { row, flow, snapshot, stored, pages } = await loadRegistrationProgress(ctx, participantId)
  const first = pages[0]
  if (!first) return
  const visitId = await openFlowVisit(ctx, {
    flowSlug: flow.slug,
    versionId: snapshot.versionId,
    page: first.code,
    device,
    utm,
    participantId,
    visitId: stored.visit_id,
    isTestData: row.is_test_data,
  })
  if (visitId !== stored.visit_id) await saveRegistrationProgress(ctx, row, { visit_id: visitId })
}

/** Stores a keyed hash of the IP network from which the registration was started. Without the key, rows do not reveal IP addresses. */
export async function storeVisitorNetworkHash(ctx: RegistrationContext, participantId: string, address: string): Promise<void> {
  const isTestData = ctx.event.testMode
  await saveRegistrationProgress(
    ctx,
    { id: participantId, is_test_data: isTestData },
    { network: ctx.keys.sign('registration network', address) },
  )
}

/** Stores the invitation of a company that the registration was started with. The person becomes its booth staff on completion. */
export async function storeCompanyInvitation(
  ctx: RegistrationContext,
  participantId: string,
  { company, staff }: Pick<CompanyInvitation, 'company' | 'staff'>,
): Promise<void> {
  const isTestData = ctx.event.testMode
  const invited = { invited_company_id: company.id, invited_staff_id: staff?.id ?? null }
  if (company.is_test_data === isTestData) await saveRegistrationProgress(ctx, { id: participantId, is_test_data: isTestData }, invited)
}

/** Records the submission of a page, either with its errors or with the next page. */
export async function recordVisitPageSubmission(
  ctx: RegistrationContext,
  { stored, walk }: RegistrationProgress,
  page: string,
  step: { errors: readonly string[] } | { next: string | null },
): Promise<void> {
  if (stored.visit_id === null) return
  await recordPageSubmission(ctx, stored.visit_id, page, 'errors' in step ? step.errors : [])
  if ('errors' in step) return
  const from = walk.pages.findIndex(({ code }) => code === page)
  for (const { code, visible } of walk.pages.slice(from + 1)) {
    if (visible) break
    await recordSkippedPage(ctx, stored.visit_id, code)
  }
  if (step.next !== null) await recordPageVisit(ctx, stored.visit_id, step.next)
}
