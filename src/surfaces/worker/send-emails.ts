import { randomBytes } from 'node:crypto'
import { foldEmailCase } from '../../kernel/email-address.ts'
import type { Log, Mailer, EmailOutcome, OutgoingAttachment, Pool } from '../../kernel/ports.ts'
import type { createBounceSaver } from './save-bounce.ts'
import { EMAIL_STATES } from '../../kernel/work-states.ts'

interface ClaimedEmail {
  tenant_id: number
  id: string
  event_id: string | null
  category: string
  to_address: string
  to_name: string | null
  from_name: string | null
  reply_to: string | null
  subject: string
  text_body: string
  html_body: string | null
  locale: string
  headers: Record<string, string>
  attached: boolean
  message_id_header: string
  attempts: number
}

/** Seconds before each retry, about seventeen hours in total. */
const RETRY_DELAYS_SECONDS = [60, 300, 900, 3600, 4 * 3600, 12 * 3600]
/** Shorter delays for emails with a sign-in code, because users request a new code after a few minutes. */
const CODE_RETRY_DELAYS_SECONDS = [10, 30, 60]

const CLAIMED = EMAIL_STATES.move('queued', 'claimed')
const REQUEUED = EMAIL_STATES.move(CLAIMED, 'queued')
const HANDED = EMAIL_STATES.move(CLAIMED, 'handed')
const RESENT = EMAIL_STATES.move(HANDED, 'queued')
const UNCERTAIN = EMAIL_STATES.move(HANDED, 'uncertain')

/**
 * Recovers the emails that a crashed worker had claimed. Emails that it did not hand over to the mail transport are queued again. For the
 * others, the delivery is uncertain: transactional emails are sent once more with the same Message-ID, others are not.
 */
const RECOVER = `
update messages set
  status = case when status = '${CLAIMED}' then '${REQUEUED}'
                when category in ('signin.code', 'transactional') and attempts < 2 then '${RESENT}' else '${UNCERTAIN}' end,
  lease_until = null, lease_token = null
where status in ('${CLAIMED}', '${HANDED}') and lease_until < lanyard_now()`

/** Claims due emails. Test data is never queued, and is excluded here as well. */
const CLAIM = `
update messages m set status = '${CLAIMED}', lease_token = $1, lease_until = lanyard_now() + interval '60 seconds'
from (select tenant_id, id from messages where status = 'queued' and not is_test_data and next_attempt_at <= lanyard_now()
      order by lane, next_attempt_at, id limit $2 for update skip locked) due
where m.tenant_id = due.tenant_id and m.id = due.id
returning m.tenant_id, m.id, m.event_id, m.category, m.to_address, m.to_name, m.from_name, m.reply_to, m.subject, m.text_body, m.html_body,
  m.locale, m.headers, m.message_id_header, m.attempts, m.lane,
  exists (select 1 from message_attachments a where a.tenant_id = m.tenant_id and a.message_id = m.id) as attached`

const ATTACHMENTS = `
select name, mime, bytes as content, content_id as "contentId" from message_attachments
where tenant_id = $1 and message_id = $2 and bytes is not null order by position`

/**
 * Marks an email as handed over to the mail transport. The mark is committed before the transport is called, so that it survives a crash.
 */
const HAND_OVER = `
update messages set status = '${HANDED}', handed_at = lanyard_now(), attempts = attempts + 1, lease_until = lanyard_now() + interval '120 seconds'
where tenant_id = $1 and id = $2 and status = '${CLAIMED}' and lease_token = $3 returning 1`

const SETTLE = `
update messages set status = $4, last_error = $5::jsonb, lease_until = null, lease_token = null,
  text_body = case when $7 then '' else text_body end, html_body = case when $7 then null else html_body end,
  sent_at = case when $4 = 'sent' then lanyard_now() else sent_at end,
  next_attempt_at = case when $4 = 'queued' then lanyard_now() + make_interval(secs => $6::float8) else next_attempt_at end
where tenant_id = $1 and id = $2 and status = '${HANDED}' and lease_token = $3`

const ERASE_BODY = `update messages set text_body = '', html_body = null where tenant_id = $1 and id = $2 and status not in ('queued', 'claimed', 'handed')`

const RELEASE_CLAIMS = `
update messages set status = '${REQUEUED}', lease_until = null, lease_token = null where status = '${CLAIMED}' and lease_token = $1`

export interface EmailSendingContext {
  pool: Pick<Pool, 'query'>
  mailer: Mailer
  log: Log
  from: string
  batch: number
  /** Saves the bounce of an event's email and notifies webhook subscribers. */
  saveBounce?: ReturnType<typeof createBounceSaver>
  /** After an abort signal, the current email is still sent, but no other. */
  signal?: AbortSignal
}

/**
 * Sends due emails, those with the lowest lane number (highest priority) first, and returns how many were processed. Several workers may
 * run it concurrently.
 */
export async function sendEmailBatch({ pool, mailer, log, from, batch, saveBounce, signal }: EmailSendingContext): Promise<number> {
  await pool.query(RECOVER, [])
  const lease = randomBytes(12).toString('base64url')
  const { rows } = await pool.query<ClaimedEmail & { lane: number }>(CLAIM, [lease, batch])
  let taken = 0
  async function sendOne(mail: ClaimedEmail): Promise<void> {
    const at = [mail.tenant_id, mail.id, lease]
    const attachments = mail.attached ? (await pool.query<OutgoingAttachment>(ATTACHMENTS, at.slice(0, 2))).rows : []
    const handed = await pool.query(HAND_OVER, at)
    if (handed.rows.length === 0) return
    const outcome = await mailer.send({
      messageId: mail.message_id_header,
      from: { name: mail.from_name ?? 'Lanyard', address: from },
      to: { address: mail.to_address, ...(mail.to_name ? { name: mail.to_name } : {}) },
      subject: mail.subject,
      text: mail.text_body,
      language: mail.locale,
      headers: mail.headers,
      attachments,
      ...(mail.html_body ? { html: mail.html_body } : {}),
      ...(mail.reply_to ? { replyTo: mail.reply_to } : {}),
    })
    const retryAfter = secondsToRetry(mail)
    const { status, error } = toSettlement(outcome, mail, retryAfter !== null)
    const { tenant_id: tenantId, event_id: eventId, id } = mail
    const erases = mustEraseBody(mailer, mail, status)
    if (status === 'bounced' && eventId !== null && saveBounce) {
      await saveBounce({ tenantId, eventId, id, lease, reason: error ?? '' })
      if (erases) await pool.query(ERASE_BODY, at.slice(0, 2))
    } else {
      await pool.query(SETTLE, [
        ...at,
        EMAIL_STATES.move(HANDED, status),
        error === null ? null : JSON.stringify({ text: error }),
        retryAfter,
        erases,
      ])
    }
    if (error !== null) log.warn('email not sent', { name: mail.id, outcome: status, error })
  }

  const left = groupByRecipient(rows.toSorted((a, b) => a.lane - b.lane || (a.id < b.id ? -1 : 1)))
  const sendNext = async (): Promise<void> => {
    for (let mails = left.shift(); mails; mails = left.shift()) {
      for (const mail of mails) {
        if (signal?.aborted) return
        taken++
        await sendOne(mail)
      }
    }
  }
  const senders = await Promise.allSettled(Array.from({ length: mailer.connections }, sendNext))
  if (taken < rows.length) await pool.query(RELEASE_CLAIMS, [lease])
  const failed = senders.find((sender) => sender.status === 'rejected')
  if (failed) throw failed.reason
  return taken
}

/**
 * Groups emails by recipient. Emails to one address are sent one after the other, so that they arrive in order: of two sign-in codes, the
 * newer one last.
 */
function groupByRecipient<M extends Pick<ClaimedEmail, 'to_address'>>(mails: readonly M[]): M[][] {
  return [...Map.groupBy(mails, ({ to_address }) => foldEmailCase(to_address)).values()]
}

/**
 * Whether the text of a sign-in code email must be erased. The code is secret, and is read from the outbox only in installations that do
 * not send emails.
 */
const mustEraseBody = ({ transport }: Mailer, { category }: ClaimedEmail, status: string): boolean =>
  transport === 'smtp' && category === 'signin.code' && status !== 'queued'

/**
 * Returns the delay before the next attempt; null after the last one. The jitter is derived from the id, so that emails that failed
 * together are not retried together.
 */
function secondsToRetry({ id, category, attempts }: ClaimedEmail): number | null {
  const planned = (category === 'signin.code' ? CODE_RETRY_DELAYS_SECONDS : RETRY_DELAYS_SECONDS)[attempts]
  return planned === undefined ? null : planned * (0.9 + (0.2 * Number.parseInt(id.slice(-4), 16)) / 0xffff)
}

type SettledStatus = 'sent' | 'queued' | 'failed' | 'bounced' | 'uncertain'

function toSettlement(outcome: EmailOutcome, mail: ClaimedEmail, triesLeft: boolean): { status: SettledStatus; error: string | null } {
  switch (outcome.kind) {
    case 'accepted':
      return { status: 'sent', error: null }
    case 'later':
      return { status: triesLeft ? 'queued' : 'failed', error: outcome.reason }
    case 'refused':
      return { status: outcome.address ? 'bounced' : 'failed', error: outcome.reason }
    case 'uncertain': {
      const again = (mail.category === 'signin.code' || mail.category === 'transactional') && mail.attempts === 0
      return { status: again ? 'queued' : 'uncertain', error: outcome.reason }
    }
  }
}
