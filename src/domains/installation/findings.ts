import type { Pool } from '../../kernel/ports.ts'
import { isOverdue, type LastBackup } from './backups.ts'

/** One thing that was looked at. Where it is not well, the sentence says how to mend it. */
export interface Finding {
  state: 'ok' | 'warn' | 'fail'
  says: string
}

export const ok = (says: string): Finding => ({ state: 'ok', says })
export const warn = (says: string): Finding => ({ state: 'warn', says })
export const fail = (says: string): Finding => ({ state: 'fail', says })

/** Late mail means that nobody sends it. */
const LATE_SECONDS = 300

export function mailFinding({ transport, production }: { transport: 'smtp' | 'mailbox'; production: boolean }): Finding {
  if (transport === 'smtp') return ok('SMTP_URL is set')
  return production ? warn('SMTP_URL is not set: mail stays in the mailbox and does not leave') : ok('kept in the mailbox, nothing leaves')
}

export async function outboxFinding(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ due: number; oldest: number }>(
    `select count(*)::int as due, coalesce(extract(epoch from lanyard_now() - min(next_attempt_at)), 0)::float8 as oldest
     from messages where status = 'queued' and next_attempt_at <= lanyard_now()`,
  )
  const { due, oldest } = rows[0]!
  return oldest < LATE_SECONDS
    ? ok(`${due} mail(s) due`)
    : warn(`${due} mail(s) due, the oldest for ${Math.round(oldest / 60)} minutes: is a worker running?`)
}

export const addressFinding = ({ baseUrl, production }: { baseUrl: string; production: boolean }): Finding =>
  production ? ok(baseUrl) : warn(`${baseUrl} is reached from this computer only: set LANYARD_BASE_URL`)

const NOTE =
  'run `lanyard backup <file>`, or `lanyard backup --made` at the end of what makes your backups, or `lanyard backup --elsewhere` once if your provider makes them'

export function backupFinding(last: LastBackup): Finding {
  const { notedAt, how, days } = last
  if (!notedAt) return warn(`none was noted yet: ${NOTE}`)
  const day = notedAt.toISOString().slice(0, 10)
  if (how === 'elsewhere') return ok(`made elsewhere, as was said on ${day}`)
  return isOverdue(last) ? warn(`the last was noted ${Math.floor(days)} days ago: ${NOTE}`) : ok(`the last was noted on ${day}`)
}

export const settingsFinding = (warnings: readonly string[]): Finding =>
  warnings.length === 0 ? ok('none unknown') : warn(warnings.join('; '))
