import type { Child } from 'hono/jsx'
import { isBackupOverdue, readLastBackup } from '../../../domains/installation/backups.ts'
import { checkBackups, checkEmailTransport, checkExternalCalls } from '../../../domains/installation/checks.ts'
import { isOperator } from '../../../domains/installation/operators.ts'
import { Notice } from '../components/parts.tsx'
import { findMismatchedHost, formatBaseUrlMismatch } from '../address-mismatch.ts'
import type { WebServices, WebContext } from '../web.ts'

const NO_EMAIL_SERVER = 'No email server is set up. Emails are stored in the mailbox and not sent.'

/** Warnings about the installation. All users see that emails are not sent; only operators see how to fix it, and all other warnings. */
export async function buildBanners(web: WebServices, c: WebContext): Promise<Child> {
  const { production, services } = web
  const foreignHost = findMismatchedHost(web, c)
  if (!production && foreignHost === null) return null
  const noMail = checkEmailTransport({ transport: web.mailTransport, production }).state !== 'ok'
  const operates = await isOperator(services.database.pool, c.get('session'))
  const texts = [
    ...(noMail ? [operates ? `${NO_EMAIL_SERVER} Set SMTP_URL and LANYARD_MAIL_FROM, then restart.` : NO_EMAIL_SERVER] : []),
    ...(operates ? await listOperatorWarnings(web, foreignHost) : []),
  ]
  return texts.map((text) => <Notice tone="warning">{text}</Notice>)
}

async function listOperatorWarnings({ services, production, warnings }: WebServices, foreignHost: string | null): Promise<string[]> {
  const backup = await readLastBackup(services.database.pool)
  const payments = await checkExternalCalls(services.database.pool)
  return [
    ...(payments.state === 'ok' ? [] : [`Payments: ${payments.says}.`]),
    ...(foreignHost === null ? [] : [formatBaseUrlMismatch(foreignHost, services.baseUrl)]),
    ...(production && isBackupOverdue(backup) ? [`Backups: ${checkBackups(backup).says}.`] : []),
    // Warnings about SMTP_URL are left out, because the NO_EMAIL_SERVER banner already covers them.
    ...warnings.filter((warning) => !warning.startsWith('SMTP_URL ')).map((warning) => `Settings: ${warning}.`),
  ]
}
