import { sql } from 'kysely'
import { z } from 'zod'
import { instant, list, object, outsideText, outsideWords, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toInstant } from '../../kernel/time.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { HIDDEN } from './personal-fields.ts'

const value = () => z.unknown().register(outsideWords, { outside: true })

export const HistoryEntry = object({
  at: instant(),
  who: text(),
  app: text(),
  tool: text(),
  changes: list(object({ path: text(), before: value().optional(), after: value().optional() }), 10_000),
})

const NEWEST = 50

interface Target {
  kind: string
  id: string
  fields: Record<string, { before?: unknown; after?: unknown }>
}

/** The newest changes of a record, each once with what it changed of it. */
export async function historyOf(ctx: EventContext, id: string, personal: boolean): Promise<z.input<typeof HistoryEntry>[]> {
  const entries = await ctx.db
    .selectFrom('audit_entries')
    .select(['at', 'actor_name', 'app_name', 'tool', 'targets'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where(sql<boolean>`jsonb_path_query_array(targets, '$[*].id') @> ${JSON.stringify(id)}::jsonb`)
    .orderBy('id', 'desc')
    .limit(NEWEST)
    .execute()
  const shown = (told: unknown) => (personal || told === null || told === undefined ? told : HIDDEN)
  return entries.map((entry) => ({
    at: toInstant(entry.at),
    who: entry.actor_name,
    app: entry.app_name,
    tool: entry.tool,
    changes: (entry.targets as Target[])
      .filter((target) => target.id === id)
      .flatMap(({ fields }) =>
        Object.entries(fields).map(([path, { before, after }]) => ({ path, before: shown(before), after: shown(after) })),
      ),
  }))
}

export const SentMail = object({
  messageId: text(),
  emailCode: text().nullable(),
  subject: outsideText(),
  to: outsideText(),
  status: text(),
  queuedAt: instant(),
  sentAt: instant().nullable(),
})

/** The newest mails of the event to their address. Codes that open something are not for organizers. */
export async function mailsTo(
  ctx: Pick<EventContext, 'tenantId' | 'event' | 'db'>,
  { email_norm }: Pick<ParticipantRow, 'email_norm'>,
): Promise<z.input<typeof SentMail>[]> {
  if (email_norm === null) return []
  const messages = await ctx.db
    .selectFrom('messages')
    .select(['id', 'email_code', 'subject', 'to_address', 'status', 'queued_at', 'sent_at'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where(sql<boolean>`lower(to_address) = ${email_norm}`)
    .where('category', '<>', 'signin.code')
    .orderBy('id', 'desc')
    .limit(NEWEST)
    .execute()
  return messages.map((message) => ({
    messageId: message.id,
    emailCode: message.email_code,
    subject: message.subject,
    to: message.to_address,
    status: message.status,
    queuedAt: toInstant(message.queued_at),
    sentAt: message.sent_at ? toInstant(message.sent_at) : null,
  }))
}
