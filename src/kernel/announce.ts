import { sql } from 'kysely'
import type { Db } from './columns.ts'
import type { Context } from './context.ts'

/** Every kind of change that webhook subscribers can be notified about. */
export const WEBHOOK_ANNOUNCEMENT_KINDS = [
  'participant.created',
  'participant.updated',
  'participant.completed',
  'participant.waitlisted',
  'participant.cancelled',
  'participant.substituted',
  'order.created',
  'order.updated',
  'order.paid',
  'invoice.issued',
  'payment.received',
  'payment.refunded',
  'payment.failed',
  'waitlist.joined',
  'waitlist.promoted',
  'group.created',
  'group.updated',
  'group.deleted',
  'company.updated',
  'booth.assigned',
  'booth.vacated',
  'application.updated',
  'lead.captured',
  'lead.updated',
  'appointment.booked',
  'appointment.cancelled',
  'session.updated',
  'submission.updated',
  'attendance.recorded',
  'reservation.confirmed',
  'reservation.changed',
  'reservation.cancelled',
  'block.changed',
  'rfp.response',
  'award.executed',
  'contract.executed',
  'survey.responded',
  'email.bounced',
  'email.unsubscribed',
  'campaign.sent',
  'contact.merged',
  'event.published',
  'event.archived',
  'webhook.test',
] as const

export type WebhookAnnouncementKind = (typeof WEBHOOK_ANNOUNCEMENT_KINDS)[number]

/** A notification that a record changed. The record itself is read when the change commits, so that subscribers receive its final state. */
export interface WebhookAnnouncement {
  kind: WebhookAnnouncementKind
  /** The record type as the REST API names it, in the singular, such as `participant`. */
  entity: string
  id: string
  /** The event that the changed record belongs to; null for a record that belongs to the client and to no event. */
  eventId: string | null
  clientId?: string | undefined
  /** Names of the changed fields as in the REST API. An update without changed fields is not delivered. */
  changed: readonly string[]
  /** Distinguishes several announcements about one record within one change, such as repeated captures of one lead. Each is delivered. */
  occurrence?: string | undefined
  /** True if the record was deleted and no announcement kind exists for its deletion. The webhook message then has no `object`. */
  removed?: true | undefined
  /** Additional fields of the webhook message. */
  more?: Readonly<Record<string, string>> | undefined
}

export interface WebhookAnnouncementScope {
  announced: WebhookAnnouncement[]
  event: { id: string }
}

/** Writes the webhook deliveries of a change for all subscribers, in the transaction of the change. Implemented by `domains/webhooks`. */
export type WriteWebhookDeliveries = (
  ctx: { tenantId: number; tenantCode: string; db: Db },
  announced: readonly WebhookAnnouncement[],
) => Promise<void>

/** The fields of `Context` that are needed to announce changes to webhook subscribers. */
export type WebhookAnnouncementContext = Pick<Context, 'tenantId' | 'tenantCode' | 'db' | 'announced' | 'writeAnnouncements'>

type NewAnnouncement = Omit<WebhookAnnouncement, 'eventId' | 'clientId' | 'changed'> & { changed?: readonly string[]; isTestData: boolean }

/** Announces a change to webhook subscribers, who are notified once the transaction commits. Test data is never announced. */
export function announceToWebhooks(ctx: WebhookAnnouncementScope, { isTestData, changed = [], ...news }: NewAnnouncement): void {
  if (!isTestData) ctx.announced.push({ ...news, eventId: ctx.event.id, changed })
}

/** Announces a change of a client's data, rather than of an event's, to webhook subscribers. */
export function announceClientChangeToWebhooks(
  ctx: Pick<WebhookAnnouncementScope, 'announced'>,
  clientId: string,
  news: Omit<WebhookAnnouncement, 'eventId' | 'clientId'>,
): void {
  ctx.announced.push({ ...news, eventId: null, clientId })
}

/**
 * Announcements that database triggers recorded in this transaction through `lanyard_announce`, one JSON object per line; null if there
 * are none.
 */
export const ANNOUNCEMENT_JSON_LINES_SQL = sql<string | null>`nullif(current_setting('lanyard.announced', true), '')`

export async function readAnnouncementJsonLines(db: Db): Promise<string | null> {
  const { rows } = await sql<{ noted: string | null }>`select ${ANNOUNCEMENT_JSON_LINES_SQL} as noted`.execute(db)
  return rows[0]!.noted
}

type AnnouncementLine = Omit<WebhookAnnouncement, 'id'> & { ids: string[] }

/** Parses the announcements that database triggers recorded. Those about test records are dropped later, when the records are read. */
export const parseWebhookAnnouncements = (noted: string | null): WebhookAnnouncement[] =>
  (noted ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AnnouncementLine)
    .flatMap(({ ids, ...news }) => ids.map((id) => ({ ...news, id })))

/** Runs a part of a change without announcing it to webhook subscribers, neither from the code nor from database triggers. */
export async function runWithoutWebhooks<C extends { db: Db; announced: WebhookAnnouncement[] }, T>(
  ctx: C,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  const before = await readAnnouncementJsonLines(ctx.db)
  const done = await run({ ...ctx, announced: [] })
  await sql`select set_config('lanyard.announced', ${before ?? ''}, true)`.execute(ctx.db)
  return done
}

/** Returns the names of the columns whose values differ between two rows, spelled as in the REST API. */
export function listChangedFields(before: object, after: object): string[] {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>]
  return Object.keys(now)
    .filter((column) => !BOOKKEEPING_COLUMNS.has(column) && JSON.stringify(old[column]) !== JSON.stringify(now[column]))
    .map((column) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

const BOOKKEEPING_COLUMNS = new Set(['revision', 'updated_at', 'stamped_by'])
