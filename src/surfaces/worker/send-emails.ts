import { randomBytes } from 'node:crypto'
import type { Log, Mailer, MailOutcome, OutgoingAttachment, Pool } from '../../kernel/ports.ts'
import type { bounceKeeper } from './keep-bounce.ts'

interface Claimed {
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

/** Seconds to wait before each further try, seventeen hours in all. */
const RETRIES = [60, 300, 900, 3600, 4 * 3600, 12 * 3600]
/** Whoever waits for a code has asked for another one by then. */
const CODE_RETRIES = [10, 30, 60]

/** Rows of a worker that died: not yet handed over, they go back; handed over, nobody knows whether they left. A transactional mail goes out once more under its old Message-ID, others do not. */
const RECOVER = `
update messages set
  status = case when status = 'claimed' then 'queued'
                when category in ('signin.code', 'transactional') and attempts < 2 then 'queued' else 'uncertain' end,
  lease_until = null, lease_token = null
where status in ('claimed', 'handed') and lease_until < lanyard_now()`

/** Test data never leaves: it is not queued, and if it were, nobody would take it. */
const CLAIM = `
update messages m set status = 'claimed', lease_token = $1, lease_until = lanyard_now() + interval '60 seconds'
from (select tenant_id, id from messages where status = 'queued' and not is_test_data and next_attempt_at <= lanyard_now()
      order by lane, next_attempt_at, id limit $2 for update skip locked) due
where m.tenant_id = due.tenant_id and m.id = due.id
returning m.tenant_id, m.id, m.event_id, m.category, m.to_address, m.to_name, m.from_name, m.reply_to, m.subject, m.text_body, m.html_body,
  m.locale, m.headers, m.message_id_header, m.attempts, m.lane,
  exists (select 1 from message_attachments a where a.tenant_id = m.tenant_id and a.message_id = m.id) as attached`

const ATTACHMENTS = `
select name, mime, bytes as content, content_id as "contentId" from message_attachments
where tenant_id = $1 and message_id = $2 and bytes is not null order by position`

/** Committed before the transport is called, so that what is handed over is known to be so whatever happens next. */
const HAND_OVER = `
update messages set status = 'handed', handed_at = lanyard_now(), attempts = attempts + 1, lease_until = lanyard_now() + interval '120 seconds'
where tenant_id = $1 and id = $2 and status = 'claimed' and lease_token = $3 returning 1`

const SETTLE = `
update messages set status = $4, last_error = $5::jsonb, lease_until = null, lease_token = null,
  sent_at = case when $4 = 'sent' then lanyard_now() else sent_at end,
  next_attempt_at = case when $4 = 'queued' then lanyard_now() + make_interval(secs => $6::float8) else next_attempt_at end
where tenant_id = $1 and id = $2 and status = 'handed' and lease_token = $3`

const EMPTY = `update messages set text_body = '', html_body = null where tenant_id = $1 and id = $2 and status not in ('queued', 'claimed', 'handed')`

const GIVE_BACK = `
update messages set status = 'queued', lease_until = null, lease_token = null where status = 'claimed' and lease_token = $1`

export interface DueEmails {
  pool: Pick<Pool, 'query'>
  mailer: Mailer
  log: Log
  from: string
  batch: number
  /** What comes back of an event's mails is told to those who listen. */
  keepBounce?: ReturnType<typeof bounceKeeper>
  /** Told to stop, it ends the mail in hand and begins no other. */
  signal?: AbortSignal
}

/** Sends what is due, lowest lane first, and says how many it took. Any number of workers may do so at once. */
export async function sendDueEmails({ pool, mailer, log, from, batch, keepBounce, signal }: DueEmails): Promise<number> {
  await pool.query(RECOVER, [])
  const lease = randomBytes(12).toString('base64url')
  const { rows } = await pool.query<Claimed & { lane: number }>(CLAIM, [lease, batch])
  let taken = 0
  for (const mail of rows.toSorted((a, b) => a.lane - b.lane || (a.id < b.id ? -1 : 1))) {
    if (signal?.aborted) break
    taken++
    const at = [mail.tenant_id, mail.id, lease]
    const attachments = mail.attached ? (await pool.query<OutgoingAttachment>(ATTACHMENTS, at.slice(0, 2))).rows : []
    const handed = await pool.query(HAND_OVER, at)
    if (handed.rows.length === 0) continue
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
    const { status, error } = settlement(outcome, mail, retryAfter !== null)
    const { tenant_id: tenantId, event_id: eventId, id } = mail
    if (status === 'bounced' && eventId !== null && keepBounce) await keepBounce({ tenantId, eventId, id, lease, reason: error ?? '' })
    else await pool.query(SETTLE, [...at, status, error === null ? null : JSON.stringify({ text: error }), retryAfter])
    if (tellsNothingNow(mailer, mail, status)) await pool.query(EMPTY, at.slice(0, 2))
    if (error !== null) log.warn('mail not sent', { name: mail.id, outcome: status, error })
  }
  if (taken < rows.length) await pool.query(GIVE_BACK, [lease])
  return taken
}

/** A code is a secret between us and whoever reads the mailbox. Where mail does not leave, the outbox is that mailbox, and the code is read there. */
const tellsNothingNow = ({ transport }: Mailer, { category }: Claimed, status: string): boolean =>
  transport === 'smtp' && category === 'signin.code' && status !== 'queued'

/** Null: this try was the last. Spread by the id, so that mails that failed together do not all come back at once. */
function secondsToRetry({ id, category, attempts }: Claimed): number | null {
  const planned = (category === 'signin.code' ? CODE_RETRIES : RETRIES)[attempts]
  return planned === undefined ? null : planned * (0.9 + (0.2 * Number.parseInt(id.slice(-4), 16)) / 0xffff)
}

function settlement(outcome: MailOutcome, mail: Claimed, triesLeft: boolean): { status: string; error: string | null } {
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
