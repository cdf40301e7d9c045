import { type ConnectedApp, disconnectApp, listConnectedApps } from '../../../domains/oauth/connected-apps.ts'
import { LinkButton } from '../components/forms.tsx'
import { buildActionColumns, renderListPage } from '../components/list-page.tsx'
import { Avatar, Card, type TableColumn, TimestampText } from '../components/parts.tsx'
import { getCsrfToken, type WebServices } from '../web.ts'
import { sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { runOwnAccountChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'

const PATH = '/console/account/apps'

const appColumns = (csrf: string): TableColumn<ConnectedApp>[] => [
  {
    label: 'App',
    lead: true,
    cell: (app) => (
      <div class="app-name">
        <Avatar name={app.name} />
        <div>
          <bdi>{app.name}</bdi>
          <div class="muted">{app.websites.join(', ') || 'no website'}</div>
        </div>
      </div>
    ),
  },
  {
    label: 'Devices',
    number: true,
    cell: ({ connections }) => connections,
  },
  { label: 'Connected', wideOnly: true, cell: (app) => <TimestampText at={app.connectedAt} /> },
  { label: 'Last used', cell: (app) => <TimestampText at={app.lastUsedAt} /> },
  { label: 'Access ends if unused', cell: (app) => <TimestampText at={app.expiresAt} /> },
  ...buildActionColumns<ConnectedApp>(true, ({ name, clientId }) => ({
    action: `${PATH}/disconnect`,
    csrf,
    label: 'Disconnect',
    about: name,
    hidden: { app: clientId },
    danger: true,
  })),
]

/** `/console/account/apps`: the assistants that act in the organizer's name, with a button to disconnect each. */
export function connectedAppPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => {
      const apps = await listConnectedApps(web.services.database.write, c.get('session').userId)
      const page = renderListPage({
        title: 'Connected apps',
        text: 'These apps act in your name, with your permissions. You can disconnect them at any time.',
        actions: (
          <LinkButton href="/console/connect" tone="primary">
            Connect an assistant
          </LinkButton>
        ),
        caption: 'Connected apps',
        columns: appColumns(getCsrfToken(web, c)),
        rows: apps,
        empty: {
          title: 'No connected apps',
          text: (
            <>
              <a href="/console/connect">Connect an assistant</a> to see it here.
            </>
          ),
        },
        after: (
          <Card title="What an app can do">
            <ul class="plain stack-s">
              <li>It sees and changes what you can see and change, and nothing more. If you lose a permission, the app loses it too.</li>
              <li>Before a change that cannot be undone, it makes a preview of the effects and asks you.</li>
              <li>Every change is in the audit log with your name and the name of the app.</li>
            </ul>
          </Card>
        ),
        foot: apps.length > 0 ? <span class="muted">An app loses access after 30 days without use.</span> : null,
      })
      return sendConsolePage(web, c, { current: PATH }, page)
    })
    .post(`${PATH}/disconnect`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const session = c.get('session')
      if (!isConfirmed(form)) {
        const app = (await listConnectedApps(web.services.database.write, session.userId)).find((one) => one.clientId === form['app'])
        const name = app?.name ?? 'this app'
        const text = `${name} loses access immediately, on all your devices. You can connect it again later.`
        return sendConfirmPage(web, c, form, { title: `Disconnect ${name}?`, text, button: 'Disconnect', back: PATH, current: PATH })
      }
      await runOwnAccountChange(web, session, 'disconnect_app', (ctx) =>
        disconnectApp(ctx, { userId: session.userId, clientId: form['app'] ?? '' }),
      )
      return c.redirect(`${PATH}?done=disconnected`, 303)
    })
}
