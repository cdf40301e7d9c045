import type { Child } from 'hono/jsx'
import { isOverdue, lastBackup } from '../../../domains/installation/backups.ts'
import { backupFinding, mailFinding } from '../../../domains/installation/findings.ts'
import { isOperator } from '../../../domains/installation/operators.ts'
import { Notice } from '../components/parts.tsx'
import { askedFromElsewhere, otherAddress } from '../opened-at.ts'
import type { Web, WebContext } from '../web.ts'

const NO_MAIL = 'No mail server is set up: mail is kept in the mailbox and does not leave.'

/** What is wrong with the installation. That mail does not leave everybody should know; what mends it, and all else, is for those who can. */
export async function bannersFor(web: Web, c: WebContext): Promise<Child> {
  const { production, road } = web
  const elsewhere = askedFromElsewhere(web, c)
  if (!production && elsewhere === null) return null
  const noMail = mailFinding({ transport: web.mailTransport, production }).state !== 'ok'
  const operates = await isOperator(road.database.pool, c.get('session'))
  const said = [
    ...(noMail ? [operates ? `${NO_MAIL} Set SMTP_URL, and LANYARD_MAIL_FROM to your sender, then restart.` : NO_MAIL] : []),
    ...(operates ? await forOperators(web, elsewhere) : []),
  ]
  return said.map((text) => <Notice tone="warning">{text}</Notice>)
}

async function forOperators({ road, production, warnings }: Web, elsewhere: string | null): Promise<string[]> {
  const backup = await lastBackup(road.database.pool)
  return [
    ...(elsewhere === null ? [] : [otherAddress(elsewhere, road.baseUrl)]),
    ...(production && isOverdue(backup) ? [`Backups: ${backupFinding(backup).says}.`] : []),
    // That one has words of its own.
    ...warnings.filter((warning) => !warning.startsWith('SMTP_URL ')).map((warning) => `Settings: ${warning}.`),
  ]
}
