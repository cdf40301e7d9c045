import { type ConnectedApp, disconnectApp, listConnectedApps } from '../../../domains/oauth/connected-apps.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card, Empty, Table, Time } from '../components/parts.tsx'
import { csrfFor, type Web } from '../web.ts'
import { askFirst, isSure } from './ask-first.tsx'
import { changeOwn, consolePages, formOf, frame } from './frame.tsx'

const PATH = '/console/account/apps'

const AppTable = ({ apps, csrf }: { apps: readonly ConnectedApp[]; csrf: string }) => (
  <Table
    caption="Connected apps"
    rows={apps}
    columns={[
      { label: 'App', lead: true, cell: (app) => app.name },
      { label: 'Website it returns to', cell: (app) => app.websites.join(', ') || <span class="muted">none given</span> },
      { label: 'Connected', cell: (app) => <Time at={app.connectedAt} /> },
      { label: 'Last used', cell: (app) => <Time at={app.lastUsedAt} /> },
      { label: 'Ends unless used', cell: (app) => <Time at={app.expiresAt} /> },
      {
        label: '',
        cell: (app) => (
          <Form action={`${PATH}/disconnect`} csrf={csrf} class="actions">
            <input type="hidden" name="app" value={app.clientId} />
            <button type="submit" class="button danger small" aria-label={`Disconnect ${app.name}`}>
              Disconnect
            </button>
          </Form>
        ),
      },
    ]}
  />
)

/** `/console/account/apps`: the assistants that act in the organizer's name, and the way to stop each. */
export function appPages(web: Web) {
  return consolePages(web)
    .get(PATH, async (c) => {
      const apps = await listConnectedApps(web.road.database.write, c.get('session').userId)
      return frame(
        web,
        c,
        { title: 'Connected apps', current: PATH },
        <>
          <Heading title="Connected apps" text="They act in your name, with your permissions. Disconnecting one works at once.">
            <LinkButton href="/console/connect" tone="primary">
              Connect an assistant
            </LinkButton>
          </Heading>
          <Card
            pad={false}
            foot={
              apps.length > 0 ? <span class="muted">An app that is not used for 30 days loses its access. Times are UTC.</span> : undefined
            }
          >
            {apps.length > 0 ? (
              <AppTable apps={apps} csrf={csrfFor(web, c)} />
            ) : (
              <Empty title="No app is connected">
                <p>
                  <a href="/console/connect">Connect an assistant</a>, and it appears here.
                </p>
              </Empty>
            )}
          </Card>
        </>,
      )
    })
    .post(`${PATH}/disconnect`, async (c) => {
      const form = await formOf(web, c)
      const session = c.get('session')
      if (!isSure(form)) {
        const app = (await listConnectedApps(web.road.database.write, session.userId)).find((one) => one.clientId === form['app'])
        const name = app?.name ?? 'this app'
        const text = `${name} loses its access at once, everywhere you connected it. To use it again, connect it anew.`
        return askFirst(web, c, form, { title: `Disconnect ${name}?`, text, button: 'Disconnect', back: PATH, current: PATH })
      }
      await changeOwn(web, session, 'disconnect_app', (ctx) => disconnectApp(ctx, { userId: session.userId, clientId: form['app'] ?? '' }))
      return c.redirect(`${PATH}?done=disconnected`, 303)
    })
}
