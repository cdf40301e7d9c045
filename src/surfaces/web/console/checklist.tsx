import type { Child } from 'hono/jsx'
import { readLastBackup } from '../../../domains/installation/backups.ts'
import {
  checkBaseUrl,
  checkBackups,
  type InstallationCheck,
  checkEmailTransport,
  checkEmailOutbox,
} from '../../../domains/installation/checks.ts'
import { isClientAdministrator, isOperator } from '../../../domains/installation/operators.ts'
import { getOwnAccount, hideSetupChecklist, type OwnAccount } from '../../../domains/sign-in/own-account.ts'
import { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { Button, Form } from '../components/forms.tsx'
import { StatusLabel, Card } from '../components/parts.tsx'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { listClientsForNewEvent } from './event/new-event.tsx'
import {
  runOwnAccountChange,
  createConsoleRouter,
  createAccountContext,
  requireConsoleForm,
  ignoreAiAssistantRestrictions,
} from './frame.tsx'

const HIDE = '/console/checklist/hide'

interface ChecklistTask {
  title: string
  done: boolean
  why: string
  /** Instructions while the task is open; the result of the check once it is done. */
  text: Child
}

const toTask = (title: string, finding: InstallationCheck, why: string, todo: Child): ChecklistTask => {
  const done = finding.state === 'ok'
  return { title, done, why, text: done ? `${finding.says}.` : todo }
}

/** Lists the tasks that only operators of the installation can do. */
async function listInstallationTasks({ services, mailTransport, production }: WebServices): Promise<ChecklistTask[]> {
  const { pool } = services.database
  const [mail, outbox, backup] = [
    checkEmailTransport({ transport: mailTransport, production }),
    await checkEmailOutbox(pool),
    checkBackups(await readLastBackup(pool)),
  ]
  return [
    mail.state === 'ok'
      ? toTask(
          'Email',
          outbox,
          'Confirmations, sign-in codes and password links are sent by email.',
          `${outbox.says} Run lanyard doctor to test the email server.`,
        )
      : toTask(
          'Email',
          mail,
          'Confirmations, sign-in codes and password links are not sent yet.',
          <>
            Set <code>SMTP_URL</code> and <code>LANYARD_MAIL_FROM</code>, then restart.
          </>,
        ),
    toTask(
      'Base address',
      checkBaseUrl({ baseUrl: services.baseUrl, production }),
      'Links in emails, payment pages and assistant sign-in all start with it:',
      <>
        Set <code>LANYARD_BASE_URL</code>.
      </>,
    ),
    toTask(
      'Backups',
      backup,
      'Without a copy elsewhere, all data is lost if the machine fails.',
      <>
        Run <code>lanyard backup &lt;file&gt;</code> every night, see <a href="/docs/operating">Operating</a>. If another program makes the
        backups, run <code>lanyard backup --made</code> after each. If your provider makes them, run <code>lanyard backup --elsewhere</code>{' '}
        once.
      </>,
    ),
  ]
}

const secondFactor = ({ secondFactor: state }: OwnAccount): ChecklistTask => ({
  title: 'Second factor',
  done: state === 'on',
  why: 'With a second factor, a stolen password is not enough to sign in.',
  text: state === 'on' ? 'Your second factor is on.' : <a href="/console/account/second-factor">Set up your second factor</a>,
})

const firstEvent = (some: boolean): ChecklistTask => ({
  title: 'First event',
  done: some,
  why: 'Registrations, pages and payments belong to an event.',
  text: some ? 'Done.' : <a href="/console/events/new">Create an event</a>,
})

const Checklist = ({ lines, csrf }: { lines: readonly ChecklistTask[]; csrf: string }) => (
  <Card
    title="Setup checklist"
    actions={<StatusLabel tone="warning">{`${lines.filter(({ done }) => !done).length} of ${lines.length} left`}</StatusLabel>}
    foot={
      <Form action={HIDE} csrf={csrf}>
        <Button small>Hide checklist</Button>
      </Form>
    }
  >
    <ul class="tasks">
      {lines.map(({ title, done, why, text }) => (
        <li class={done ? 'done' : undefined}>
          <h3>
            <span class="hidden">{done ? 'Done: ' : 'Open: '}</span>
            {title}
          </h3>
          <p class="why">
            {why} {text}
          </p>
        </li>
      ))}
    </ul>
  </Card>
)

/**
 * Builds the list of open setup tasks of a production installation, for administrators; null if all are done or the user has hidden the
 * list.
 */
export async function buildSetupChecklist(web: WebServices, c: WebContext): Promise<Child> {
  const session = c.get('session')
  if (!web.production || !isClientAdministrator(session.access)) return null
  const { database } = web.services
  const account = await getOwnAccount(database.write, session.userId)
  if (account.checklistHidden) return null
  const installationTasks = (await isOperator(database.pool, session)) ? await listInstallationTasks(web) : []
  const mayCreate = listClientsForNewEvent(session).length > 0
  const { events } = await listMyEvents(createAccountContext(web, ignoreAiAssistantRestrictions(session), database.read), { limit: 1 })
  const lines = [...installationTasks, secondFactor(account), ...(mayCreate ? [firstEvent(events.length > 0)] : [])]
  return lines.every(({ done }) => done) ? null : <Checklist lines={lines} csrf={getCsrfToken(web, c)} />
}

/** `/console/checklist/hide`: hides the checklist for this user only. */
export function setupChecklistPages(web: WebServices) {
  return createConsoleRouter(web).post(HIDE, async (c) => {
    await requireConsoleForm(web, c)
    const session = c.get('session')
    await runOwnAccountChange(web, session, 'hide_checklist', (ctx) => hideSetupChecklist(ctx, session))
    return c.redirect('/console?done=checklist-hidden', 303)
  })
}
