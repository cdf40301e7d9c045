import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase, isSameEmail, toEmailAddress } from '../../kernel/email-address.ts'
import { sendEmail } from '../../kernel/email.ts'
import { type FieldError, notFound } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildDirectoryOutcomeAnswerKey, SELF_REGISTRATION_FLOW_KINDS } from '../configuration/flow/collected-answers.ts'
import { findAnswerErrorMessage, getResponseTypeRules } from '../configuration/flow/answer-rules.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { LookupResult } from '../directories/look-up.ts'
import { assertFlowOpen } from '../registration/flows/assert-flow-open.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { insertParticipant, hasVerifiedEmailOrFinishedSql } from '../registration/participant-rows.ts'
import { type RegistrationContext, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import { mayEmailMailbox } from '../messages/mailbox-limit.ts'
import { recalculateTags } from '../registration/tags.ts'
import { buildSignInLink } from '../registration/links.ts'
import { findInvite, type InviteListEntry, isInviteUsed, linkInviteToParticipant } from '../registration/invitations/invites.ts'
import { ACCEPTED_INVITE_CODE_ANSWER } from '../registration/invitations/use-invite.ts'
import { acceptInviteFromInviteList } from './invite-choice.ts'
import { existingRegistrationNotice } from './existing-registration-notice.ts'

export interface StartRegistrationRequest {
  flowSlug: string
  email: string
  /** The invitation code, for invite-only flows. */
  code: string
  /** The visitor's locale, used for emails to them. */
  locale: string
  /** The result of the flow's directory lookup for this email address. */
  looked?: LookupResult | null
  /** The email address that the visitor has already verified in this browser, by a code or link, at this event. */
  verifiedEmail?: string | null
  /** Whether the visitor followed a company's invitation link. If so, the flow's own invite list is not checked. */
  isInvitedByCompany?: boolean
}

/**
 * `asksCode`: the visitor must first verify their email address. `sendsCode` is false if the address is not on the list or already has a
 * registration. The page must not reveal which of these applies.
 */
export type RegistrationStartResult =
  | { kind: 'begun'; participantId: string; email: string; verified: boolean }
  | { kind: 'asksCode'; email: string; sendsCode: boolean; flow: string }
  | { kind: 'refused'; errors: FieldError[] }

const emails = getResponseTypeRules('email')

export function getPublicFlow({ config }: Pick<EventSnapshot, 'config'>, slug: string): Flow {
  const flow = config.flows.find((one) => one.slug === slug)
  if (!flow || flow.retired || !SELF_REGISTRATION_FLOW_KINDS.has(flow.kind)) throw notFound('This form does not exist')
  return flow
}

/**
 * Starts a registration for an email address. Every start creates a registration of its own, which other visitors with the same address
 * neither see nor continue. If the address already has a registration, its owner is notified by email. The response and the SQL statements
 * are the same in both cases, so that only the owner of the mailbox learns whether the address is registered.
 */
export async function startRegistration(
  ctx: RegistrationContext,
  { flowSlug, email: typed, code, locale, looked = null, verifiedEmail = null, isInvitedByCompany = false }: StartRegistrationRequest,
): Promise<RegistrationStartResult> {
  const snapshot = await loadEventSnapshot(ctx)
  const flow = getPublicFlow(snapshot, flowSlug)
  assertFlowOpen(flow, snapshot)
  const email = toEmailAddress(typed.trim()) ?? typed.trim()
  if (findAnswerErrorMessage(emails, null, email) !== null) return { kind: 'refused', errors: [toFieldError('email', 'error.email')] }
  const needsInvite = flow.inviteOnly && !isInvitedByCompany
  const invite = needsInvite ? await findInvite(ctx, flow, code === '' ? { email } : { code }) : null
  if (needsInvite && code !== '' && (!invite || isInviteUsed(invite, null)))
    return { kind: 'refused', errors: [toFieldError('code', invite ? 'error.inviteUsed' : 'error.code')] }
  const known = await listRegistrationsOf(ctx, snapshot, email)
  await emailAboutExistingRegistration(ctx, known[0] ?? null, { address: email, locale })
  if (needsInvite && code === '') {
    const sendsCode = invite !== null && !isInviteUsed(invite, null) && known.every(({ email_unverified }) => email_unverified)
    return { kind: 'asksCode', email: invite?.email ?? email, sendsCode, flow: flow.name }
  }
  const verified = verifiedEmail !== null && isSameEmail(verifiedEmail, email)
  const row = await insertStarted(ctx, { snapshot, flow, email, locale, invite, looked, verified })
  if (verified) await acceptInviteFromInviteList(ctx, row.id)
  return { kind: 'begun', participantId: row.id, email, verified }
}

/**
 * Starts a registration for an invited person who has verified their email address. Returns null if the invitation was removed or the
 * person has registered in the meantime.
 */
export async function startInvitedRegistration(
  ctx: RegistrationContext,
  { flowSlug, email, locale }: Pick<StartRegistrationRequest, 'flowSlug' | 'email' | 'locale'>,
): Promise<{ participantId: string; email: string } | null> {
  const snapshot = await loadEventSnapshot(ctx)
  const flow = getPublicFlow(snapshot, flowSlug)
  assertFlowOpen(flow, snapshot)
  const invite = await findInvite(ctx, flow, { email })
  if (!invite || isInviteUsed(invite, null)) return null
  // Unverified registrations with this address may belong to other people, so they do not block the owner of the mailbox.
  const known = (await listRegistrationsOf(ctx, snapshot, email)).filter(({ email_unverified }) => !email_unverified)
  const begun = known.find(({ status, flow_slug }) => status === 'incomplete' && flow_slug === flow.slug)
  if (!begun && known.length > 0) return null
  const row = begun ?? (await insertStarted(ctx, { snapshot, flow, email: invite.email, locale, invite, verified: true }))
  return { participantId: row.id, email: row.email! }
}

const MAX_EXISTING_REGISTRATIONS = 5

/**
 * Lists the registrations of an email address, verified and finished ones first. Registrations that visitors have only started without
 * verifying the address are not included.
 */
const listRegistrationsOf = (ctx: RegistrationContext, { isTest }: EventSnapshot, email: string): Promise<ParticipantRow[]> =>
  eventDb(ctx)
    .selectFrom('participants')
    .selectAll()
    .where('email_norm', '=', foldEmailCase(email))
    .where('status', '<>', 'cancelled')
    .where('is_test_data', '=', isTest)
    .where(hasVerifiedEmailOrFinishedSql)
    .orderBy('email_unverified')
    .orderBy(sql`status = 'incomplete'`)
    .orderBy('created_at', 'desc')
    .limit(MAX_EXISTING_REGISTRATIONS)
    .execute()

interface Inserting {
  snapshot: EventSnapshot
  flow: Flow
  email: string
  locale: string
  invite: InviteListEntry | null
  looked?: LookupResult | null
  /** Whether the visitor has proved access to the mailbox. */
  verified: boolean
}

async function insertStarted(
  ctx: RegistrationContext,
  { snapshot, flow, email, locale, invite, looked = null, verified }: Inserting,
): Promise<ParticipantRow> {
  const row = await insertParticipant(ctx, {
    email,
    language: locale,
    // The invitation's name is not filled in, because it would reveal that the address is on the list.
    company: invite?.company ?? null,
    manual_tags: invite?.tags ?? [],
    // The email address is not verified yet, so only tags of the directory record are stored, and none of its personal data.
    directory_tags: looked?.tags ?? [],
    answers: JSON.stringify({
      ...(looked && flow.directory !== null ? { [buildDirectoryOutcomeAnswerKey(flow.directory)]: looked.outcome } : {}),
      ...(invite ? { '@invite.code': ACCEPTED_INVITE_CODE_ANSWER } : {}),
    }),
    flow_slug: flow.slug,
    version_id: snapshot.versionId,
    is_test_data: snapshot.isTest,
    source: 'web',
    email_unverified: !verified,
  })
  if (invite) await linkInviteToParticipant(ctx, invite, row.id)
  recordChange(ctx, { kind: 'participant', id: row.id, after: { email, status: row.status, flowSlug: flow.slug } })
  await recalculateTags(ctx, snapshot.config, [row.id])
  return row
}

/**
 * Notifies the owner of a mailbox that it already has a registration, at most once per hour and registration. Without a registration the
 * same SQL statements run and no email is sent, so that the response time does not reveal whether the address is registered.
 */
export async function emailAboutExistingRegistration(
  ctx: RegistrationContext,
  row: ParticipantRow | null,
  { address, locale }: { address: string; locale: string | null },
): Promise<void> {
  const isWithinLimit = await mayEmailMailbox(ctx, 'existingRegistration', address)
  await sendEmail(ctx, existingRegistrationNotice, {
    to: { address: row?.email ?? address },
    content: { event: ctx.event.name, link: buildSignInLink(ctx, address, row), finished: row?.status !== 'incomplete' },
    source: { kind: 'registrationKnown', id: row?.id ?? '', recipientKey: await readCurrentHour(ctx) },
    locale: row?.language ?? locale,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
    isTestData: ctx.event.testMode,
    when: row !== null && isWithinLimit,
  })
}

async function readCurrentHour({ db }: RegistrationContext): Promise<string> {
  const { rows } = await sql<{ hour: string }>`select to_char(lanyard_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as hour`.execute(db)
  return rows[0]!.hour
}
