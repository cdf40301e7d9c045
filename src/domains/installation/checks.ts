import { ALERT_AFTER_FAILURES } from '../../kernel/external-call-lease.ts'
import type { Pool } from '../../kernel/ports.ts'
import { isBackupOverdue, type LastBackup } from './backups.ts'

/** The result of one check of the installation. If the check fails, the text explains how to fix the problem. */
export interface InstallationCheck {
  state: 'ok' | 'warn' | 'fail'
  says: string
}

export const passedCheck = (says: string): InstallationCheck => ({ state: 'ok', says })
export const warningCheck = (says: string): InstallationCheck => ({ state: 'warn', says })
export const failedCheck = (says: string): InstallationCheck => ({ state: 'fail', says })

/** Delay of queued emails, in seconds, above which the check assumes that no worker is sending emails. */
const LATE_EMAIL_SECONDS = 300

export function checkEmail({ transport, production }: { transport: 'smtp' | 'mailbox'; production: boolean }): InstallationCheck {
  if (transport === 'smtp') return passedCheck('SMTP_URL is set')
  return production
    ? warningCheck('SMTP_URL is not set: emails stay in the mailbox and are not sent')
    : passedCheck('kept in the mailbox, nothing is sent')
}

export async function checkOutbox(pool: Pool): Promise<InstallationCheck> {
  const { rows } = await pool.query<{ due: number; oldest: number }>(
    `select count(*)::int as due, coalesce(extract(epoch from lanyard_now() - min(next_attempt_at)), 0)::float8 as oldest
     from messages where status = 'queued' and next_attempt_at <= lanyard_now()`,
  )
  const { due, oldest } = rows[0]!
  return oldest < LATE_EMAIL_SECONDS
    ? passedCheck(`${due} email(s) due`)
    : warningCheck(`${due} email(s) due, the oldest for ${Math.round(oldest / 60)} minutes: is a worker running?`)
}

/** Checks for responses of payment processors and other systems that Lanyard could not record, although the request had an effect there. */
export async function checkExternalCalls(pool: Pool): Promise<InstallationCheck> {
  const { rows } = await pool.query<{ stuck: number; kinds: string }>(
    `select count(*)::int as stuck, coalesce(string_agg(distinct kind, ', '), '') as kinds from outside_calls
     where status in ('waiting', 'calling') and settle_failures >= $1`,
    [ALERT_AFTER_FAILURES],
  )
  const { stuck, kinds } = rows[0]!
  return stuck === 0
    ? passedCheck('all responses were recorded')
    : failedCheck(
        `${stuck} response(s) could not be recorded in ${ALERT_AFTER_FAILURES} attempts (${kinds}): search the log for "external call" and correct the cause; they are retried automatically`,
      )
}

export const checkBaseUrl = ({ baseUrl, production }: { baseUrl: string; production: boolean }): InstallationCheck =>
  production ? passedCheck(baseUrl) : warningCheck(`${baseUrl} can be reached from this computer only: set LANYARD_BASE_URL`)

const BACKUP_HINT =
  'run `lanyard backup <file>`, or `lanyard backup --made` at the end of what makes your backups, or `lanyard backup --elsewhere` once if your provider makes them'

export function checkBackups(last: LastBackup): InstallationCheck {
  const { notedAt, how, days } = last
  if (!notedAt) return warningCheck(`no backup recorded yet: ${BACKUP_HINT}`)
  const day = notedAt.toISOString().slice(0, 10)
  if (how === 'elsewhere') return passedCheck(`made elsewhere, as recorded on ${day}`)
  return isBackupOverdue(last)
    ? warningCheck(`the last was recorded ${Math.floor(days)} days ago: ${BACKUP_HINT}`)
    : passedCheck(`the last was recorded on ${day}`)
}

export const checkSettings = (warnings: readonly string[]): InstallationCheck =>
  warnings.length === 0 ? passedCheck('none unknown') : warningCheck(warnings.join('; '))

/**
 * Reports are read with a database role that has few rights. If the role is missing, a read-only transaction with the same limits is used.
 */
export async function checkReportRole(pool: Pool): Promise<InstallationCheck> {
  const { rows } = await pool.query<{ who: string; isMember: boolean; mayLimitFiles: boolean }>(
    `select current_user as who, coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = 'lanyard_reports'), false) as "isMember",
      has_parameter_privilege(current_user, 'temp_file_limit', 'set') as "mayLimitFiles"`,
  )
  const { who, isMember, mayLimitFiles } = rows[0]!
  if (!isMember)
    return warningCheck(
      `the role lanyard_reports is missing: as an administrator, run "create role lanyard_reports nologin; grant lanyard_reports to ${who};", then, as ${who}, "select lanyard_prepare_reports();"`,
    )
  const limit = mayLimitFiles
    ? 'with temporary files of at most 512 MB'
    : `without a limit of temporary files: as an administrator, run "grant set on parameter temp_file_limit to ${who};"`
  return passedCheck(`read under the role lanyard_reports, ${limit}`)
}
