import { sql } from 'kysely'
import { z } from 'zod'
import { instant, list, object, untrustedText, untrustedTextRegistry, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { PERSONAL_DATA_MASK } from '../personal-fields.ts'

const value = () => z.unknown().register(untrustedTextRegistry, { outside: true })

export const ParticipantHistoryEntry = object({
  at: instant(),
  who: text(),
  app: text(),
  tool: text(),
  changes: list(object({ path: text(), before: value().optional(), after: value().optional() }), 10_000),
})

const MAX_ENTRIES = 50

interface Target {
  kind: string
  id: string
  fields: Record<string, { before?: unknown; after?: unknown }>
}

/** Lists the newest audit entries about a record, with the changes to this record only. */
export async function listParticipantHistory(
  ctx: EventContext,
  id: string,
  personal: boolean,
): Promise<z.input<typeof ParticipantHistoryEntry>[]> {
  const entries = await eventDb(ctx)
    .selectFrom('audit_entries')
    .select(['at', 'actor_name', 'app_name', 'tool', 'targets'])
    .where(sql<boolean>`jsonb_path_query_array(targets, '$[*].id') @> ${JSON.stringify(id)}::jsonb`)
    .orderBy('id', 'desc')
    .limit(MAX_ENTRIES)
    .execute()
  const shown = (raw: unknown) => (personal || raw === null || raw === undefined ? raw : PERSONAL_DATA_MASK)
  return entries.map((entry) => ({
    at: formatInstant(entry.at),
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

export const SentEmail = object({
  messageId: text(),
  emailCode: text().nullable(),
  subject: untrustedText(),
  to: untrustedText(),
  status: text(),
  queuedAt: instant(),
  sentAt: instant().nullable(),
})

/** Lists the newest emails of the event to the participant's address. Sign-in codes are secret and left out. */
export async function listEmailsToParticipant(
  ctx: Pick<EventContext, 'tenantId' | 'event' | 'db'>,
  { email_norm }: Pick<ParticipantRow, 'email_norm'>,
): Promise<z.input<typeof SentEmail>[]> {
  if (email_norm === null) return []
  const messages = await eventDb(ctx)
    .selectFrom('messages')
    .select(['id', 'email_code', 'subject', 'to_address', 'status', 'queued_at', 'sent_at'])
    .where(sql<boolean>`lanyard_fold_email(to_address) = ${email_norm}`)
    .where('category', '<>', 'signin.code')
    .orderBy('id', 'desc')
    .limit(MAX_ENTRIES)
    .execute()
  return messages.map((message) => ({
    messageId: message.id,
    emailCode: message.email_code,
    subject: message.subject,
    to: message.to_address,
    status: message.status,
    queuedAt: formatInstant(message.queued_at),
    sentAt: message.sent_at ? formatInstant(message.sent_at) : null,
  }))
}
