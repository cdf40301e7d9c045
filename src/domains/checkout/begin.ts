import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { sendEmail } from '../../kernel/email.ts'
import { type FieldError, notFound } from '../../kernel/errors.ts'
import { directoryBinding, OWN_KINDS } from '../configuration/flow/collects.ts'
import { checkAnswer, rulesOfType } from '../configuration/flow/values.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { LookedUp } from '../directories/look-up.ts'
import { refuseClosed } from '../registration/closed.ts'
import { finishLink } from '../registration/links.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { insertParticipant } from '../registration/people.ts'
import { type AtEvent, openScene, type Scene } from '../registration/scene.ts'
import { refreshTags } from '../registration/tags.ts'
import { eventPages } from '../tenancy/public-pages.ts'
import { findInvited, type Invite, isUsed, LISTED, noteOpened } from './invite-choice.ts'
import { knownPerson } from './known-mails.ts'

export interface Beginning {
  flowSlug: string
  email: string
  /** Of an invitation, for forms that are by invitation. */
  code: string
  /** The visitor's: mails to them are written in it. */
  locale: string
  /** What the flow's own directory said of the address. */
  looked?: LookedUp | null
}

/**
 * `asksCode`: nothing is begun before somebody proved to read the mailbox. `codeTo` is who gets a code for it; null where the address is on no
 * list, or has its way already. Only the mailbox may learn which.
 */
export type Begun =
  | { kind: 'begun'; participantId: string; email: string }
  | { kind: 'asksCode'; codeTo: string | null; flow: string }
  | { kind: 'refused'; errors: FieldError[] }

const emails = rulesOfType('email')

export function openFlow({ config }: Pick<Scene, 'config'>, slug: string): Flow {
  const flow = config.flows.find((one) => one.slug === slug)
  if (!flow || flow.retired || !OWN_KINDS.has(flow.kind)) throw notFound('There is no such form here')
  return flow
}

/**
 * Begins a registration for an address. Whoever has one already is sent the way to it, and everybody is answered the same: who reads a
 * mailbox learns it there, and nobody else anywhere.
 */
export async function begin(ctx: AtEvent, { flowSlug, email: typed, code, locale, looked = null }: Beginning): Promise<Begun> {
  const scene = await openScene(ctx)
  const flow = openFlow(scene, flowSlug)
  refuseClosed(flow, scene)
  const email = typed.trim()
  if (checkAnswer(emails, null, email) !== null) return { kind: 'refused', errors: [{ path: 'email', message: 'email' }] }
  const invite = flow.inviteOnly ? await findInvited(ctx, flow, code === '' ? { email } : { code }) : null
  if (flow.inviteOnly && code !== '' && (!invite || isUsed(invite, null)))
    return { kind: 'refused', errors: [{ path: 'code', message: invite ? 'inviteUsed' : 'code' }] }
  const known = await registeredAs(ctx, scene, email)
  for (const row of known) await mailKnown(ctx, row)
  if (flow.inviteOnly && code === '') {
    const comesIn = invite !== null && !isUsed(invite, null) && known.length === 0
    return { kind: 'asksCode', codeTo: comesIn ? invite.email : null, flow: flow.name }
  }
  const row = await insert(ctx, { scene, flow, email, locale, invite, looked })
  return { kind: 'begun', participantId: row.id, email }
}

/** Somebody on the list has proved to read the mailbox. Null where they are listed no more, or have registered meanwhile. */
export async function beginInvited(
  ctx: AtEvent,
  { flowSlug, email, locale }: Pick<Beginning, 'flowSlug' | 'email' | 'locale'>,
): Promise<{ participantId: string; email: string } | null> {
  const scene = await openScene(ctx)
  const flow = openFlow(scene, flowSlug)
  refuseClosed(flow, scene)
  const invite = await findInvited(ctx, flow, { email })
  if (!invite || isUsed(invite, null)) return null
  const known = await registeredAs(ctx, scene, email)
  const begun = known.find(({ status, flow_slug }) => status === 'incomplete' && flow_slug === flow.slug)
  if (!begun && known.length > 0) return null
  const row = begun ?? (await insert(ctx, { scene, flow, email: invite.email, locale, invite }))
  return { participantId: row.id, email: row.email! }
}

const MOST_KNOWN = 5

const registeredAs = ({ db, tenantId, event }: AtEvent, { isTest }: Scene, email: string): Promise<ParticipantRow[]> =>
  db
    .selectFrom('participants')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('email_norm', '=', email.toLowerCase())
    .where('status', '<>', 'cancelled')
    .where('is_test_data', '=', isTest)
    .orderBy('created_at', 'desc')
    .limit(MOST_KNOWN)
    .execute()

interface Inserting {
  scene: Scene
  flow: Flow
  email: string
  locale: string
  invite: Invite | null
  looked?: LookedUp | null
}

async function insert(ctx: AtEvent, { scene, flow, email, locale, invite, looked = null }: Inserting): Promise<ParticipantRow> {
  const row = await insertParticipant(ctx, {
    email,
    language: locale,
    // A name is not filled in beside one that is registered: that would be told apart.
    company: invite?.company ?? null,
    manual_tags: invite?.tags ?? [],
    // Of a member its tags alone: nobody proved yet to read this mailbox, so nothing that the directory knows of them is shown.
    directory_tags: looked?.tags ?? [],
    answers: JSON.stringify({
      ...(looked && flow.directory !== null ? { [directoryBinding(flow.directory)]: looked.outcome } : {}),
      ...(invite ? { '@invite.code': LISTED } : {}),
    }),
    flow_slug: flow.slug,
    version_id: scene.versionId,
    is_test_data: scene.isTest,
    source: 'web',
  })
  if (invite) await noteOpened(ctx, invite, row.id)
  recordChange(ctx, { kind: 'participant', id: row.id, after: { email, status: row.status, flowSlug: flow.slug } })
  await refreshTags(ctx, scene.config, [row.id])
  return row
}

/** One mail an hour for each registration, however often somebody types the address. */
export async function mailKnown(ctx: AtEvent, row: ParticipantRow): Promise<void> {
  if (row.email === null) return
  const finished = row.status !== 'incomplete'
  const link = finished ? eventPages(ctx).signIn : await finishLink(ctx, row)
  await sendEmail(ctx, knownPerson, {
    to: { address: row.email },
    content: { event: ctx.event.name, link, finished },
    source: { kind: 'registrationKnown', id: row.id, recipientKey: await hourOf(ctx) },
    locale: row.language,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
    isTestData: row.is_test_data,
  })
}

async function hourOf({ db }: AtEvent): Promise<string> {
  const { rows } = await sql<{ hour: string }>`select to_char(lanyard_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as hour`.execute(db)
  return rows[0]!.hour
}
