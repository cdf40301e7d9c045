import { sql } from 'kysely'
import type { Db } from './columns.ts'
import type { Context } from './context.ts'

/** Everything that integrators can be told of, the whole list. */
export const ANNOUNCED_KINDS = [
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

export type AnnouncedKind = (typeof ANNOUNCED_KINDS)[number]

/** That a record changed. What it then is, is read when the whole change is done. */
export interface Announcement {
  kind: AnnouncedKind
  /** As the REST API names it, in the singular. */
  entity: string
  id: string
  /** Null for what happened at no event but at a client as a whole. */
  eventId: string | null
  clientId?: string | undefined
  /** Fields that differ, as the REST API names them. Of an update that says none, nobody is told. */
  changed: readonly string[]
  /** One of several of its kind in one change, each of which is told: another capture of one lead. */
  occurrence?: string | undefined
  /** What else its kind is told with. */
  more?: Readonly<Record<string, string>> | undefined
}

export interface Announcing {
  announced: Announcement[]
  event: { id: string }
}

/** Writes for everybody who listens what a change has announced, in its transaction. `domains/webhooks` does. */
export type WriteAnnounced = (ctx: { tenantId: number; tenantCode: string; db: Db }, announced: readonly Announcement[]) => Promise<void>

/** What keeping a change needs of a context to tell of it. */
export type AnnouncingContext = Pick<Context, 'tenantId' | 'tenantCode' | 'db' | 'announced' | 'writeAnnounced'>

type News = Omit<Announcement, 'eventId' | 'clientId' | 'changed'> & { changed?: readonly string[]; isTestData: boolean }

/** Notes what integrators are to be told when the change is kept. Test data is told to nobody. */
export function announce(ctx: Announcing, { isTestData, changed = [], ...news }: News): void {
  if (!isTestData) ctx.announced.push({ ...news, eventId: ctx.event.id, changed })
}

/** The same of what is a client's, at none of its events. */
export function announceAtClient(
  ctx: Pick<Announcing, 'announced'>,
  clientId: string,
  news: Omit<Announcement, 'eventId' | 'clientId'>,
): void {
  ctx.announced.push({ ...news, eventId: null, clientId })
}

/** What the database changed by itself in this transaction and noted, as `lanyard_announce` does; null for nothing. */
export const NOTED = sql<string | null>`nullif(current_setting('lanyard.announced', true), '')`

export async function readNoted(db: Db): Promise<string | null> {
  const { rows } = await sql<{ noted: string | null }>`select ${NOTED} as noted`.execute(db)
  return rows[0]!.noted
}

type Noted = Omit<Announcement, 'id'> & { ids: string[] }

/** The same as announcements: a line for each time that it noted something. That it is test data is seen by its record. */
export const announcedIn = (noted: string | null): Announcement[] =>
  (noted ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Noted)
    .flatMap(({ ids, ...news }) => ids.map((id) => ({ ...news, id })))

/** Runs a part of a change that is no news to anybody: neither what it announces nor what the database notes of it is told. */
export async function inSilence<C extends { db: Db; announced: Announcement[] }, T>(ctx: C, run: (ctx: C) => Promise<T>): Promise<T> {
  const before = await readNoted(ctx.db)
  const done = await run({ ...ctx, announced: [] })
  await sql`select set_config('lanyard.announced', ${before ?? ''}, true)`.execute(ctx.db)
  return done
}

/** Names of the columns that differ, as the REST API would name them. */
export function changedFields(before: object, after: object): string[] {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>]
  return Object.keys(now)
    .filter((column) => !STAMPS.has(column) && JSON.stringify(old[column]) !== JSON.stringify(now[column]))
    .map((column) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

const STAMPS = new Set(['revision', 'updated_at'])
