import { buildEventPagePaths, buildEventPageUrls } from '../tenancy/public-pages.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { issueRegistrationToken } from './own/registration-token.ts'
import type { RegistrationContext } from './event-snapshot.ts'

type Linked = Pick<ParticipantRow, 'id' | 'flow_slug'>

/**
 * Returns the path to continue an unfinished registration without signing in. Its token is valid for this participant only, for one day.
 */
export async function issueResumeRegistrationPath(
  ctx: RegistrationContext,
  id: string,
  flowSlug: string,
): Promise<{ path: string; token: string }> {
  const token = await issueRegistrationToken(ctx, { audience: 'registration', participantId: id, flowSlug })
  return { path: `${buildEventPagePaths(ctx).register(flowSlug)}?token=${token}`, token }
}

/** Returns the URL to continue an unfinished registration, for emails and organizers. Without a flow it leads to the event's home page. */
export async function issueResumeRegistrationLink(ctx: RegistrationContext, { id, flow_slug }: Linked): Promise<string> {
  return ctx.baseUrl + (flow_slug === null ? buildEventPagePaths(ctx).home : (await issueResumeRegistrationPath(ctx, id, flow_slug)).path)
}

/**
 * Returns the link to finish a registration for an email to its address. If an unverified visitor started the registration, the link leads
 * to a new form: the owner of the address starts a new registration, and the visitor continues theirs in the same browser.
 */
export async function issueEmailedResumeLink(
  ctx: RegistrationContext,
  row: Linked & Pick<ParticipantRow, 'email' | 'email_unverified'>,
): Promise<string> {
  if (!row.email_unverified || row.flow_slug === null) return issueResumeRegistrationLink(ctx, row)
  return `${buildEventPageUrls(ctx).register(row.flow_slug)}?${new URLSearchParams({ email: row.email ?? '' }).toString()}`
}

/** Returns the link to the sign-in page for an email address. After signing in, it leads to the form of an unfinished registration. */
export function buildSignInLink(ctx: RegistrationContext, email: string, row: Pick<ParticipantRow, 'status' | 'flow_slug'> | null): string {
  const next = row?.status === 'incomplete' && row.flow_slug !== null ? { next: buildEventPagePaths(ctx).register(row.flow_slug) } : {}
  return `${buildEventPageUrls(ctx).signIn}?${new URLSearchParams({ email, ...next }).toString()}`
}

/** Returns the path to pay the open balance without signing in. */
export async function issuePaymentPagePath(ctx: RegistrationContext, { id, flow_slug }: Linked): Promise<string> {
  const token = await issueRegistrationToken(ctx, { audience: 'pay', participantId: id, flowSlug: flow_slug })
  return `${buildEventPagePaths(ctx).pay}?token=${token}`
}
