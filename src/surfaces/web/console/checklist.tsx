import type { Child } from 'hono/jsx'
import { lastBackup } from '../../../domains/installation/backups.ts'
import { addressFinding, backupFinding, type Finding, mailFinding, outboxFinding } from '../../../domains/installation/findings.ts'
import { isAdministrator, isOperator } from '../../../domains/installation/operators.ts'
import { getOwnAccount, hideChecklist, type OwnAccount } from '../../../domains/sign-in/own-account.ts'
import { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { Button, Form } from '../components/forms.tsx'
import { Badge, Card } from '../components/parts.tsx'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { clientsToCreateAt } from './event/new-event.tsx'
import { changeOwn, consolePages, contextOf, formOf, whateverAssistants } from './frame.tsx'

const HIDE = '/console/checklist/hide'

interface Line {
  title: string
  done: boolean
  why: string
  /** What to set or to do, while it is open; what was found, once it is done. */
  says: Child
}

const lineOf = (title: string, finding: Finding, why: string, todo: Child): Line => {
  const done = finding.state === 'ok'
  return { title, done, why, says: done ? `${finding.says}.` : todo }
}

/** What only those who run the installation can mend. */
async function linesOfInstallation({ road, mailTransport, production }: Web): Promise<Line[]> {
  const { pool } = road.database
  const [mail, outbox, backup] = [
    mailFinding({ transport: mailTransport, production }),
    await outboxFinding(pool),
    backupFinding(await lastBackup(pool)),
  ]
  return [
    mail.state === 'ok'
      ? lineOf(
          'Mail',
          outbox,
          'Confirmations, codes and password links go by mail.',
          `${outbox.says} lanyard doctor tries the mail server.`,
        )
      : lineOf(
          'Mail',
          mail,
          'Confirmations, codes and password links reach nobody until mail leaves.',
          <>
            Set <code>SMTP_URL</code>, and <code>LANYARD_MAIL_FROM</code> to the sender that people know, then restart.
          </>,
        ),
    lineOf(
      'Base address',
      addressFinding({ baseUrl: road.baseUrl, production }),
      'Links in mails, payment pages and the sign-in of assistants all begin with it.',
      <>
        Set <code>LANYARD_BASE_URL</code>.
      </>,
    ),
    lineOf(
      'Backups',
      backup,
      'What is not copied elsewhere is lost with the machine.',
      <>
        Let <code>lanyard backup &lt;file&gt;</code> run every night, as <a href="/docs/operating">Operating</a> says. If other programs
        make them, let those end with <code>lanyard backup --made</code>; if your provider does, run <code>lanyard backup --elsewhere</code>{' '}
        once.
      </>,
    ),
  ]
}

const secondFactor = ({ secondFactor: state }: OwnAccount): Line => ({
  title: 'Second factor',
  done: state === 'on',
  why: 'Without one, whoever learns your password is you.',
  says: state === 'on' ? 'Yours is on.' : <a href="/console/account/second-factor">Set up your second factor</a>,
})

const firstEvent = (some: boolean): Line => ({
  title: 'First event',
  done: some,
  why: 'Pages, registrations and money all belong to an event.',
  says: some ? 'There is one.' : <a href="/console/events/new">Create an event</a>,
})

const Checklist = ({ lines, csrf }: { lines: readonly Line[]; csrf: string }) => (
  <Card
    title="Before people rely on it"
    actions={<Badge tone="warning">{`${lines.filter(({ done }) => !done).length} left of ${lines.length}`}</Badge>}
    foot={
      <Form action={HIDE} csrf={csrf}>
        <Button small>Hide this list</Button>
      </Form>
    }
  >
    <ul class="tasks">
      {lines.map(({ title, done, why, says }) => (
        <li class={done ? 'done' : undefined}>
          <h3>
            <span class="hidden">{done ? 'Done: ' : 'Open: '}</span>
            {title}
          </h3>
          <p class="why">
            {why} {says}
          </p>
        </li>
      ))}
    </ul>
  </Card>
)

/** What is still open in the first hours of an installation that others reach, for administrators; null when nothing is, or they do not want to see it. */
export async function checklistFor(web: Web, c: WebContext): Promise<Child> {
  const session = c.get('session')
  if (!web.production || !isAdministrator(session.access)) return null
  const { database } = web.road
  const account = await getOwnAccount(database.write, session.userId)
  if (account.checklistHidden) return null
  const ofInstallation = (await isOperator(database.pool, session)) ? await linesOfInstallation(web) : []
  const mayCreate = clientsToCreateAt(session).length > 0
  const { events } = await listMyEvents(contextOf(web, whateverAssistants(session), database.read), { limit: 1 })
  const lines = [...ofInstallation, secondFactor(account), ...(mayCreate ? [firstEvent(events.length > 0)] : [])]
  return lines.every(({ done }) => done) ? null : <Checklist lines={lines} csrf={csrfFor(web, c)} />
}

/** `/console/checklist/hide`: for the person who asks, and nobody else. */
export function checklistPages(web: Web) {
  return consolePages(web).post(HIDE, async (c) => {
    await formOf(web, c)
    const session = c.get('session')
    await changeOwn(web, session, 'hide_checklist', (ctx) => hideChecklist(ctx, session))
    return c.redirect('/console?done=checklist-hidden', 303)
  })
}
