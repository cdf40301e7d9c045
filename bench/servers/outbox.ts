import { createTransport, type Transporter } from 'nodemailer'
import { Secret } from '../../src/kernel/secrets.ts'
import { createSmtpMailer } from '../../src/platform/mailer.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { assistantAt } from '../../test/support/sign-in-codes.ts'
import { newWorld, type World } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'

/** As many emails as people in a full hall request within a minute. */
const EMAILS = 150
const FROM = 'no-reply@example.org'

interface Desk {
  world: World
  mailer: ReturnType<typeof createSmtpMailer>
  bare: Transporter
  content: { subject: string; text: string; html: string }
}

let desk: Promise<Desk> | null = null

async function openDesk(url: string): Promise<Desk> {
  const world = await newWorld()
  await (await assistantAt(world, await world.event())).request('first@example.org')
  const { rows } = await world.database.pool.query<Desk['content']>(
    `update messages set status = 'sent' returning subject, text_body as text, coalesce(html_body, '') as html`,
  )
  return { world, mailer: createSmtpMailer(new Secret(url)), bare: createTransport({ url, pool: true }), content: rows[0]! }
}

/** Queues copies of a real code email for different recipients. */
async function queueEmails({ world }: Desk): Promise<void> {
  const { pool } = world.database
  await pool.query(`delete from messages where source_kind = 'bench'`)
  await pool.query(
    `insert into messages (tenant_id, id, client_id, event_id, source_kind, source_id, recipient_key, category, lane, email_code, to_address,
       from_name, locale, subject, text_body, html_body, headers, status, message_id_header)
     select tenant_id, lpad(to_hex(n), 24, '0'), client_id, event_id, 'bench', n::text, n::text, category, lane, email_code, 'p' || n || '@example.org',
       from_name, locale, subject, text_body, html_body, headers, 'queued', '<' || n || '@localhost>'
     from (select * from messages where source_kind <> 'bench' limit 1) one, generate_series(1, $1) n`,
    [EMAILS],
  )
}

async function ours(at: Desk): Promise<number> {
  await queueEmails(at)
  const due = { pool: at.world.database.pool, mailer: at.mailer, log: at.world.services.log, from: FROM, batch: 50 }
  const started = performance.now()
  while ((await sendEmailBatch(due)) > 0);
  return performance.now() - started
}

async function bare({ bare: transport, content }: Desk): Promise<number> {
  const started = performance.now()
  await Promise.all(Array.from({ length: EMAILS }, (_, n) => transport.sendMail({ from: FROM, to: `p${n}@example.org`, ...content })))
  return performance.now() - started
}

const run = { ours, bare }

/** Returns the emails sent per second. */
async function rate({ side, seconds, url }: { side: keyof typeof run; seconds: number; url: string }): Promise<number> {
  const at = await (desk ??= openDesk(url))
  let [spent, runs] = [0, 0]
  do {
    spent += await run[side](at)
    runs++
  } while (spent < seconds * 1000)
  return (runs * EMAILS) / (spent / 1000)
}

async function end(): Promise<void> {
  const at = await desk
  at?.mailer.close()
  at?.bare.close()
  await at?.world.end()
}

serveRequests({ rate, end })
