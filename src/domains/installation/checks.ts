import { MAX_FAILURES_BEFORE_ALERT } from '../../kernel/external-call-lease.ts'
import type { Pool } from '../../kernel/ports.ts'
import { isBackupOverdue, type LastBackup } from './backups.ts'

/** The result of one check of the installation. If the check fails, the text explains how to fix the problem. */
export interface InstallationCheck {
  state: 'ok' | 'warn' | 'fail'
  says: string
}

export const createPassedCheck = (says: string): InstallationCheck => ({ state: 'ok', says })
export const createWarningCheck = (says: string): InstallationCheck => ({ state: 'warn', says })
export const createFailedCheck = (says: string): InstallationCheck => ({ state: 'fail', says })

/** Delay of queued emails, in seconds, above which the check assumes that no worker is sending emails. */
const LATE_EMAIL_SECONDS = 300

export function checkEmailTransport({ transport, production }: { transport: 'smtp' | 'mailbox'; production: boolean }): InstallationCheck {
  if (transport === 'smtp') return createPassedCheck('SMTP_URL is set')
  return production
    ? createWarningCheck('SMTP_URL is not set: emails stay in the mailbox and are not sent')
    : createPassedCheck('kept in the mailbox, nothing is sent')
}

export async function checkEmailOutbox(pool: Pool): Promise<InstallationCheck> {
  const { rows } = await pool.query<{ due: number; oldest: number }>(
    `select count(*)::int as due, coalesce(extract(epoch from lanyard_now() - min(next_attempt_at)), 0)::float8 as oldest
     from messages where status = 'queued' and next_attempt_at <= lanyard_now()`,
  )
  const { due, oldest } = rows[0]!
  return oldest < LATE_EMAIL_SECONDS
    ? createPassedCheck(`${due} email(s) due`)
    : createWarningCheck(`${due} email(s) due, the oldest for ${Math.round(oldest / 60)} minutes: is a worker running?`)
}

/** Checks for responses of payment processors and other systems that Lanyard could not record, although the request had an effect there. */
export async function checkExternalCalls(pool: Pool): Promise<InstallationCheck> {
  const { rows } = await pool.query<{ stuck: number; kinds: string }>(
    `select count(*)::int as stuck, coalesce(string_agg(distinct kind, ', '), '') as kinds from outside_calls
     where status in ('waiting', 'calling') and settle_failures >= $1`,
    [MAX_FAILURES_BEFORE_ALERT],
  )
  const { stuck, kinds } = rows[0]!
  return stuck === 0
    ? createPassedCheck('all responses were recorded')
    : createFailedCheck(
        `${stuck} response(s) could not be recorded in ${MAX_FAILURES_BEFORE_ALERT} attempts (${kinds}): search the log for "external call" and correct the cause; they are retried automatically`,
      )
}

export const checkBaseUrl = ({ baseUrl, production }: { baseUrl: string; production: boolean }): InstallationCheck =>
  production ? createPassedCheck(baseUrl) : createWarningCheck(`${baseUrl} can be reached from this computer only: set LANYARD_BASE_URL`)

const BACKUP_HINT =
  'run `lanyard backup <file>`, or `lanyard backup --made` at the end of what makes your backups, or `lanyard backup --elsewhere` once if your provider makes them'

export function checkBackups(last: LastBackup): InstallationCheck {
  const { notedAt, how, days } = last
  if (!notedAt) return createWarningCheck(`no backup recorded yet: ${BACKUP_HINT}`)
  const day = notedAt.toISOString().slice(0, 10)
  if (how === 'elsewhere') return createPassedCheck(`made elsewhere, as recorded on ${day}`)
  return isBackupOverdue(last)
    ? createWarningCheck(`the last was recorded ${Math.floor(days)} days ago: ${BACKUP_HINT}`)
    : createPassedCheck(`the last was recorded on ${day}`)
}

export const checkSettingWarnings = (warnings: readonly string[]): InstallationCheck =>
  warnings.length === 0 ? createPassedCheck('none unknown') : createWarningCheck(warnings.join('; '))

/**
 * Reports are read with a database role that has few rights. If the role is missing, a read-only transaction with the same limits is used.
 */
export async function checkReportDatabaseRole(pool: Pool): Promise<InstallationCheck> {
  const { rows } = await pool.query<{ who: string; isMember: boolean; mayLimitFiles: boolean }>(
    `select current_user as who, coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = 'lanyard_reports'), false) as "isMember",
      has_parameter_privilege(current_user, 'temp_file_limit', 'set') as "mayLimitFiles"`,
  )
  const { who, isMember, mayLimitFiles } = rows[0]!
  if (!isMember)
    return createWarningCheck(
      `the role lanyard_reports is missing: as an administrator, run "create role lanyard_reports nologin; grant lanyard_reports to ${who};", then, as ${who}, "select lanyard_prepare_reports();"`,
    )
  const limit = mayLimitFiles
    ? 'with temporary files of at most 512 MB'
    : `without a limit of temporary files: as an administrator, run "grant set on parameter temp_file_limit to ${who};"`
  return createPassedCheck(`read under the role lanyard_reports, ${limit}`)
}
